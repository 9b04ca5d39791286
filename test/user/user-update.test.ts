import { describe, expect, it } from '@jest/globals'
import { governedFields } from '../../src/domain/profile/field-ownership.js'
import { protocols } from '../support/method-forms.js'
import { ownersOf } from '../support/user-methods.js'
import {
  admin,
  eventsOf,
  field,
  id,
  key,
  phoneOf,
  serial,
  service,
  stateOf,
  syncFromDirectory,
  updatesOver,
  useUsers,
  worker,
} from '../support/users.js'

useUsers()

describe.each(protocols)('users over %s', (protocol) => {
  const { call, updated, refused } = updatesOver(protocol)

  describe('an update', () => {
    it('returns the whole user, every ownership entry and both lists, wrapped in data', async () => {
      const answer = await updated({ lastName: 'Lovelace', department: 'R&D', jobTitle: 'Analyst' })
      expect(answer).toEqual({
        data: {
          id,
          email: `${id}@example.com`,
          firstName: 'Ada',
          lastName: 'Lovelace',
          name: 'Ada Lovelace',
          role: 'USER_ROLE_ORG_MEMBER',
          avatarUrl: '',
          timezone: '',
          locale: '',
          department: 'R&D',
          jobTitle: 'Analyst',
          primaryPhone: '',
          managerUserId: '',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          fieldOwnership: governedFields.map((name) => ({
            field: field(name),
            owner: 'FIELD_OWNER_AUTOMATION',
            since: expect.stringMatching(/\.\d{3}Z$/),
          })),
        },
        skippedPinnedFields: [],
        skippedDirectoryLockedFields: [],
      })
    })

    it('leaves absent fields unchanged, and clears empty ones', async () => {
      await updated({ lastName: 'Lovelace', jobTitle: 'Analyst', primaryPhone: phoneOf(serial) })
      expect((await updated({ jobTitle: '', primaryPhone: '' })).data).toMatchObject({
        firstName: 'Ada',
        lastName: 'Lovelace',
        jobTitle: '',
        primaryPhone: '',
      })
      const before = await stateOf(id)
      await updated({})
      expect(await stateOf(id)).toEqual(before)
    })

    it('by a key leaves the field to automation unless pinFields names it', async () => {
      const { data } = await updated({ jobTitle: 'A', department: 'B', pinFields: [field('DEPARTMENT')] })
      expect(ownersOf(data)).toEqual(['DEPARTMENT: PINNED'])
    })

    it('by a user token pins every field that it writes', async () => {
      const { data } = await updated({ jobTitle: 'A', avatarUrl: 'https://x.example/a.png' }, admin)
      expect(ownersOf(data)).toEqual(['AVATAR_URL: PINNED', 'JOB_TITLE: PINNED'])
    })

    it.each(['key', 'worker'] as const)('by a %s skips a pinned field and applies the rest', async (kind) => {
      const token = kind === 'key' ? key : worker
      await updated({ jobTitle: 'A', department: 'B' }, admin)
      const answer = await updated({ jobTitle: 'C', department: 'B', lastName: 'L' }, token)
      expect(answer.skippedPinnedFields).toEqual([field('JOB_TITLE')])
      expect(answer.data).toMatchObject({ jobTitle: 'A', department: 'B', lastName: 'L' })
    })

    it('by a key that names a pinned field in pinFields replaces the value and keeps the pin', async () => {
      await updated({ jobTitle: 'A' }, admin)
      const answer = await updated({ jobTitle: 'B', pinFields: [field('JOB_TITLE')] })
      expect(answer.skippedPinnedFields).toEqual([])
      expect(answer.data.jobTitle).toBe('B')
      expect(ownersOf(answer.data)).toEqual(['JOB_TITLE: PINNED'])
    })

    it('releases a field, which keeps its value until automation replaces it', async () => {
      await updated({ jobTitle: 'A' }, admin)
      const released = await updated({ releaseFields: [field('JOB_TITLE')] })
      expect([released.data.jobTitle, ownersOf(released.data)]).toEqual(['A', []])
      expect((await updated({ jobTitle: 'B' })).data.jobTitle).toBe('B')
    })

    it('releases fields before it sets them', async () => {
      await updated({ jobTitle: 'A' }, admin)
      const answer = await updated({ jobTitle: 'B', releaseFields: [field('JOB_TITLE')] })
      expect([answer.data.jobTitle, ownersOf(answer.data), answer.skippedPinnedFields]).toEqual(['B', [], []])
    })

    it('may release and set a field in one request: a key leaves it to automation, a user token pins it again', async () => {
      await updated({ jobTitle: 'A' }, admin)
      const change = { jobTitle: 'B', releaseFields: [field('JOB_TITLE')] }
      expect(ownersOf((await updated(change)).data)).toEqual([])
      expect(ownersOf((await updated(change, admin)).data)).toEqual(['JOB_TITLE: PINNED'])
    })

    it('pins an empty value, which automation then leaves empty', async () => {
      await updated({ jobTitle: '', pinFields: [field('JOB_TITLE')] })
      expect((await updated({ jobTitle: 'A' })).skippedPinnedFields).toEqual([field('JOB_TITLE')])
      const { data, skippedPinnedFields } = await updated({ jobTitle: '' })
      expect([data.jobTitle, skippedPinnedFields]).toEqual(['', []])
    })

    it('treats null as absent and a repeated field as one, and accepts field numbers', async () => {
      const before = await stateOf(id)
      await updated({ email: null, firstName: null, role: null, pinFields: null, releaseFields: null })
      expect(await stateOf(id)).toEqual(before)
      const { data } = await updated({ firstName: 'Eve', lastName: 'L', pinFields: [1, field('FIRST_NAME')] })
      expect(ownersOf(data)).toEqual(['FIRST_NAME: PINNED'])
      expect(await refused({ jobTitle: null, pinFields: [field('JOB_TITLE')] })).toMatchObject({
        status: 400,
        reason: 'PIN_FIELD_NOT_SET',
      })
    })

    it('skips what the directory supplies, for every caller, equal or not, pinned or released', async () => {
      await syncFromDirectory(id, { supplied: { JOB_TITLE: 'A', DEPARTMENT: 'B', FIRST_NAME: 'Ada' } })
      for (const token of [key, worker, admin]) {
        const answer = await updated(
          {
            jobTitle: 'A',
            department: 'C',
            firstName: 'Eve',
            lastName: 'L',
            ...(token === admin ? {} : { pinFields: [field('FIRST_NAME')] }),
          },
          token,
        )
        expect(answer.skippedDirectoryLockedFields).toEqual(['FIRST_NAME', 'DEPARTMENT', 'JOB_TITLE'].map(field))
        expect(answer.data).toMatchObject({ jobTitle: 'A', department: 'B', firstName: 'Ada', lastName: 'L' })
      }
      const answer = await updated({ releaseFields: [field('JOB_TITLE')] })
      expect(answer.skippedDirectoryLockedFields).toEqual([field('JOB_TITLE')])
    })

    it('records when the owner of a field changed, not when its value did', async () => {
      const sinceOf = (answer: { data: { fieldOwnership: { field: string; since: string }[] } }) =>
        answer.data.fieldOwnership.find((entry) => entry.field === field('JOB_TITLE'))?.since
      const first = sinceOf(await updated({ jobTitle: 'A' }))
      service.runtime.advance(1_000)
      expect(sinceOf(await updated({ jobTitle: 'B' }))).toBe(first)
      const pinned = sinceOf(await updated({ jobTitle: 'C' }, admin))
      expect(pinned).not.toBe(first)
      service.runtime.advance(1_000)
      expect(sinceOf(await updated({ jobTitle: 'D' }, admin))).toBe(pinned)
    })

    it.each([
      ['a pinned field that is not set', { pinFields: [field('JOB_TITLE')] }, 'PIN_FIELD_NOT_SET', 'pinFields[0]'],
      [
        'an avatar in pinFields',
        { avatarUrl: 'https://x.example/a.png', pinFields: [field('AVATAR_URL')] },
        'PIN_FIELD_NOT_ALLOWED',
        'pinFields[0]',
      ],
      ['a manager in pinFields', { pinFields: [field('MANAGER')] }, 'PIN_FIELD_NOT_ALLOWED', 'pinFields[0]'],
      [
        'a field that is pinned and released',
        { jobTitle: 'A', pinFields: [field('JOB_TITLE')], releaseFields: [field('JOB_TITLE')] },
        'FIELD_PINNED_AND_RELEASED',
        'pinFields[0]',
      ],
      ['UNSPECIFIED in pinFields', { pinFields: [field('UNSPECIFIED')] }, 'FIELD_INVALID', 'pinFields[0]'],
      ['UNSPECIFIED in releaseFields', { releaseFields: [field('UNSPECIFIED')] }, 'FIELD_INVALID', 'releaseFields[0]'],
      ['a number that is not a field', { releaseFields: [99] }, 'FIELD_INVALID', 'releaseFields[0]'],
      ['an invalid role', { role: 'USER_ROLE_UNSPECIFIED' }, 'FIELD_INVALID', 'role'],
      ['a name that is too long', { firstName: 'x'.repeat(256) }, 'FIELD_INVALID', 'firstName'],
      ['a control character', { jobTitle: 'a\u0007' }, 'FIELD_INVALID', 'jobTitle'],
      ['an invalid phone number', { primaryPhone: '12345' }, 'FIELD_INVALID', 'primaryPhone'],
      ['an unknown time zone', { timezone: 'Europe/Atlantis' }, 'FIELD_INVALID', 'timezone'],
      ['an invalid locale', { locale: 'en_GB' }, 'FIELD_INVALID', 'locale'],
      ['an avatar without https', { avatarUrl: 'http://x.example/a.png' }, 'FIELD_INVALID', 'avatarUrl'],
      ['an invalid email address', { email: 'ada' }, 'FIELD_INVALID', 'email'],
      ['an empty email address', { email: '' }, 'FIELD_REQUIRED', 'email'],
    ])('with %s is refused with 400, names the field and writes nothing', async (_, change, reason, at) => {
      const rest = { lastName: 'Changed' }
      expect(await refused({ ...rest, ...change })).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        reason,
        fields: [at],
      })
    })

    it.each([99, field('MANAGER'), field('JOB_TITLE')])(
      'that pins %s a thousand times over is refused with the first 20 faults',
      async (pin) => {
        const { fields } = await refused({ pinFields: Array.from({ length: 1_000 }, () => pin) })
        expect(fields).toEqual(Array.from({ length: 20 }, (_, index) => `pinFields[${index}]`))
      },
    )

    it('that pins more entries than there are fields is refused as a whole', async () => {
      const { fields } = await refused({ pinFields: Array.from({ length: 1_001 }, () => field('JOB_TITLE')) })
      expect(fields).toEqual(['pinFields'])
    })

    it('with an unknown enum name returns 400', async () => {
      expect(await refused({ jobTitle: 'A', pinFields: ['USER_PROFILE_FIELD_SHOE_SIZE'] })).toMatchObject({
        status: 400,
        code: 'invalid_argument',
      })
    })

    it('stores values in canonical form', async () => {
      const { data } = await updated({
        primaryPhone: `+1 (415) 555-${String(serial).padStart(4, '0')}`,
        timezone: 'asia/kolkata',
        locale: 'EN-gb',
        avatarUrl: 'HTTPS://X.Example/a b.png'.replace(' ', '%20'),
      })
      expect(data).toMatchObject({
        primaryPhone: phoneOf(serial),
        timezone: 'Asia/Kolkata',
        locale: 'en-GB',
        avatarUrl: 'https://x.example/a%20b.png',
      })
    })

    it("adds a stored department to the organization's options, but not a skipped one", async () => {
      const name = `Department ${protocol} ${id}`
      await updated({ department: name }, admin)
      await updated({ department: `${name} skipped` })
      const { answer } = await call('listDepartmentOptions', {})
      const names: string[] = answer.json.data.map((option: { name: string }) => option.name)
      expect(names).toEqual([...names].sort())
      expect(names.filter((each) => each.startsWith(name))).toEqual([name])
    })

    it('makes one option of a department in whatever case, Unicode form and blanks', async () => {
      const name = `Éclairage ${protocol} ${id}`
      for (const written of [name, name.toLowerCase(), `  ${name.normalize('NFD')} `, name.toUpperCase()]) {
        await updated({ department: written }, admin)
      }
      await updated({ department: `\t${name.normalize('NFD')}`.trimStart() }, admin)
      const { answer } = await call('getUser', { id })
      expect(answer.json.data.department).toBe(name)
      const { data } = (await call('listDepartmentOptions', {})).answer.json
      const like = data.filter((option: { name: string }) => option.name.toLowerCase() === name.toLowerCase())
      expect(like).toEqual([{ id: expect.any(String), name }])
    })

    it('keeps a department that somebody has, in whatever case, and deletes one that nobody has', async () => {
      const name = `Archive ${protocol} ${id}`
      const optionOf = async () => {
        const { data } = (await call('listDepartmentOptions', {})).answer.json
        return data.find((option: { name: string }) => option.name === name)
      }
      await updated({ department: name }, admin)
      const option = await optionOf()
      await updated({ department: name.toUpperCase() }, admin)
      const kept = await call('deleteDepartmentOption', { id: option.id })
      expect(kept).toMatchObject({ status: 400, code: 'failed_precondition', reason: 'RESOURCE_IN_USE' })
      expect(kept.metadata).toMatchObject({ referrers: id })
      await call('deactivateUser', { id })
      expect((await call('deleteDepartmentOption', { id: option.id })).reason).toBe('RESOURCE_IN_USE')
      await updated({ department: '' }, admin)
      expect((await call('deleteDepartmentOption', { id: option.id })).answer.json).toEqual({})
      expect(await optionOf()).toBeUndefined()
      const again = await call('deleteDepartmentOption', { id: option.id })
      expect(again).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
      expect((await eventsOf(option.id)).map(({ action }) => action)).toEqual(['department_option.delete'])
      await updated({ department: name }, admin)
      expect((await optionOf()).id).not.toBe(option.id)
    })

    it.each(['R_D', 'R%D', 'R\\D'])('takes %s for the name of a department, and no pattern', async (sign) => {
      const name = `${sign} ${protocol} ${id}`
      await updated({ department: name }, admin)
      const { data } = (await call('listDepartmentOptions', {})).answer.json
      const option = data.find((each: { name: string }) => each.name === name)
      expect((await call('deleteDepartmentOption', { id: option.id })).reason).toBe('RESOURCE_IN_USE')
      await updated({ department: name.replace(sign, 'RxD') }, admin)
      expect((await call('deleteDepartmentOption', { id: option.id })).answer.json).toEqual({})
    })

    it('records an event with the owners before and after, and without a value', async () => {
      await updated({ jobTitle: 'Secretive' }, admin)
      await updated({ jobTitle: 'Other', lastName: 'Lovelace' })
      await updated({ releaseFields: [field('JOB_TITLE')] })
      const events = await eventsOf(id)
      expect(events).toEqual([
        {
          action: 'user.update',
          changes: [change('JOB_TITLE', 'PINNED', 'AUTOMATION', 'PINNED')],
        },
        {
          action: 'user.update',
          changes: [
            change('LAST_NAME', 'WRITTEN', 'AUTOMATION', 'AUTOMATION'),
            change('JOB_TITLE', 'SKIPPED_PINNED', 'PINNED', 'PINNED'),
          ],
        },
        { action: 'user.update', changes: [change('JOB_TITLE', 'RELEASED', 'PINNED', 'AUTOMATION')] },
      ])
      expect(JSON.stringify(events)).not.toMatch(/Secretive|Other|Lovelace/)
    })
  })
})

function change(name: string, outcome: string, oldOwner: string, newOwner: string) {
  return {
    field: field(name),
    outcome: `FIELD_WRITE_OUTCOME_${outcome}`,
    oldOwner: `FIELD_OWNER_${oldOwner}`,
    newOwner: `FIELD_OWNER_${newOwner}`,
  }
}
