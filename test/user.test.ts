import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { governedFields } from '../src/domain/profile/field-ownership.js'
import type { DirectoryWrite } from '../src/domain/user/directory-sync.js'
import { writeDirectoryUser } from '../src/domain/user/directory-sync.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './support/fixture.js'
import { doors, type RequestJson } from './support/method-doors.js'
import { startTestService, type TestService } from './support/service.js'
import { ownersOf, userMethodCaller } from './support/user-methods.js'

const { acme, globex, users } = fixture
const field = (name: string) => `USER_PROFILE_FIELD_${name}`

describe('users', () => {
  let service: TestService
  let key: string
  let worker: string
  let admin: string
  let serial = 0
  let id: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    key = (await insertApiKey(service.database, { organizationId: acme })).token
    worker = (await insertApiKey(service.database, { organizationId: acme, kind: 'wk' })).token
    admin = await insertUserToken(service.database, { userId: users.admin })
  })
  afterAll(() => service.stop())

  /** A member of Acme whom no other test knows. */
  const newUser = async (columns: Record<string, unknown> = {}, organizationId: string = acme) => {
    serial += 1
    const userId = `user-${serial}`
    await insertUser(service.database, { id: userId, organizationId, columns: { first_name: 'Ada', ...columns } })
    return userId
  }
  beforeEach(async () => {
    id = await newUser()
  })
  const phoneOf = (number: number) => `+1415555${String(number).padStart(4, '0')}`
  const syncFromDirectory = (userId: string, write: DirectoryWrite) =>
    writeDirectoryUser(service.database, { organizationId: acme, keyId: 'mk', name: 'Okta' }, userId, write, {
      runtime: service.runtime,
      requestId: '',
    })
  const eventsOf = (targetId: string) =>
    service.database.query<{ action: string; changes: unknown }>(
      'SELECT action, changes FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
      [targetId],
    )
  const stateOf = async (userId: string) => {
    const rows = await service.database.query(
      `SELECT to_jsonb(m) AS member, u.email FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE u.id = $1 ORDER BY m.organization_id`,
      [userId],
    )
    return { rows, events: await eventsOf(userId) }
  }

  describe.each(doors)('over %s', (door) => {
    const call = userMethodCaller(
      () => service,
      door,
      () => key,
    )
    const update = (change: RequestJson, token?: string, userId = id) =>
      call('updateUser', { id: userId, ...change }, token)
    const updated = async (change: RequestJson, token?: string) => {
      const { answer } = await update(change, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json
    }
    const refused = async (change: RequestJson, token?: string) => {
      const before = await stateOf(id)
      const { status, code, reason, fields, message, metadata } = await update(change, token)
      expect(await stateOf(id)).toEqual(before)
      return { status, code, reason, fields, message, metadata }
    }

    describe('an update', () => {
      it('answers the whole user, every ownership entry and both lists, wrapped in data', async () => {
        const answer = await updated({ lastName: 'Lovelace', department: 'R&D', jobTitle: 'Analyst' })
        expect(answer).toEqual({
          data: {
            ...{ id, email: `${id}@example.com`, firstName: 'Ada', lastName: 'Lovelace', name: 'Ada Lovelace' },
            ...{ role: 'USER_ROLE_ORG_MEMBER', avatarUrl: '', timezone: '', locale: '', department: 'R&D' },
            ...{ jobTitle: 'Analyst', primaryPhone: '', managerUserId: '' },
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

      it('leaves what is absent, and clears what is empty', async () => {
        await updated({ lastName: 'Lovelace', jobTitle: 'Analyst', primaryPhone: phoneOf(serial) })
        expect((await updated({ jobTitle: '', primaryPhone: '' })).data).toMatchObject({
          ...{ firstName: 'Ada', lastName: 'Lovelace', jobTitle: '', primaryPhone: '' },
        })
        const before = await stateOf(id)
        await updated({})
        expect(await stateOf(id)).toEqual(before)
      })

      it('by a key leaves the field to automation, unless pinFields names it', async () => {
        const { data } = await updated({ jobTitle: 'A', department: 'B', pinFields: [field('DEPARTMENT')] })
        expect(ownersOf(data)).toEqual(['DEPARTMENT: PINNED'])
      })

      it('by a user token owns every field that it writes', async () => {
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

      it('by a key that names a pinned field in pinFields replaces the value, and the pin stays', async () => {
        await updated({ jobTitle: 'A' }, admin)
        const answer = await updated({ jobTitle: 'B', pinFields: [field('JOB_TITLE')] })
        expect(answer.skippedPinnedFields).toEqual([])
        expect(answer.data.jobTitle).toBe('B')
        expect(ownersOf(answer.data)).toEqual(['JOB_TITLE: PINNED'])
      })

      it('releases a field, whose value stays and is automation’s to replace', async () => {
        await updated({ jobTitle: 'A' }, admin)
        const released = await updated({ releaseFields: [field('JOB_TITLE')] })
        expect([released.data.jobTitle, ownersOf(released.data)]).toEqual(['A', []])
        expect((await updated({ jobTitle: 'B' })).data.jobTitle).toBe('B')
      })

      it('releases before it sets', async () => {
        await updated({ jobTitle: 'A' }, admin)
        const answer = await updated({ jobTitle: 'B', releaseFields: [field('JOB_TITLE')] })
        expect([answer.data.jobTitle, ownersOf(answer.data), answer.skippedPinnedFields]).toEqual(['B', [], []])
      })

      it('releases and sets in one request: automation’s by a key, pinned anew by a user token', async () => {
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

      it('takes null for not given, a field twice for once, and fields by number', async () => {
        const before = await stateOf(id)
        await updated({ email: null, firstName: null, role: null, pinFields: null, releaseFields: null })
        expect(await stateOf(id)).toEqual(before)
        const { data } = await updated({ firstName: 'Eve', lastName: 'L', pinFields: [1, field('FIRST_NAME')] })
        expect(ownersOf(data)).toEqual(['FIRST_NAME: PINNED'])
        expect(await refused({ jobTitle: null, pinFields: [field('JOB_TITLE')] })).toMatchObject({
          ...{ status: 400, reason: 'PIN_FIELD_NOT_SET' },
        })
      })

      it('skips what the directory supplies, for every caller, equal or not, pinned or released', async () => {
        await syncFromDirectory(id, { supplied: { JOB_TITLE: 'A', DEPARTMENT: 'B', FIRST_NAME: 'Ada' } })
        for (const token of [key, worker, admin]) {
          const answer = await updated(
            {
              ...{ jobTitle: 'A', department: 'C', firstName: 'Eve', lastName: 'L' },
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

      it('says since when a field has its owner: since the owner changed, not since the value did', async () => {
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
        [
          'UNSPECIFIED in releaseFields',
          { releaseFields: [field('UNSPECIFIED')] },
          'FIELD_INVALID',
          'releaseFields[0]',
        ],
        ['a number that is no field', { releaseFields: [99] }, 'FIELD_INVALID', 'releaseFields[0]'],
        ['a role that is none', { role: 'USER_ROLE_UNSPECIFIED' }, 'FIELD_INVALID', 'role'],
        ['a name that is too long', { firstName: 'x'.repeat(256) }, 'FIELD_INVALID', 'firstName'],
        ['a control character', { jobTitle: 'a\u0007' }, 'FIELD_INVALID', 'jobTitle'],
        ['a phone number that is none', { primaryPhone: '12345' }, 'FIELD_INVALID', 'primaryPhone'],
        ['an unknown time zone', { timezone: 'Europe/Atlantis' }, 'FIELD_INVALID', 'timezone'],
        ['a locale that is none', { locale: 'en_GB' }, 'FIELD_INVALID', 'locale'],
        ['an avatar without https', { avatarUrl: 'http://x.example/a.png' }, 'FIELD_INVALID', 'avatarUrl'],
        ['an email address that is none', { email: 'ada' }, 'FIELD_INVALID', 'email'],
        ['an empty email address', { email: '' }, 'FIELD_REQUIRED', 'email'],
      ])('with %s answers 400, names the field and writes nothing', async (_, change, reason, at) => {
        const rest = { lastName: 'Changed' }
        expect(await refused({ ...rest, ...change })).toMatchObject({
          ...{ status: 400, code: 'invalid_argument', reason, fields: [at] },
        })
      })

      it.each([99, field('MANAGER'), field('JOB_TITLE')])(
        'that pins %s a thousand times over is refused with the first 20 faults',
        async (pin) => {
          const { fields } = await refused({ pinFields: Array.from({ length: 1_000 }, () => pin) })
          expect(fields).toEqual(Array.from({ length: 20 }, (_, index) => `pinFields[${index}]`))
        },
      )

      it('that pins more entries than any list of fields has is refused as a whole', async () => {
        const { fields } = await refused({ pinFields: Array.from({ length: 1_001 }, () => field('JOB_TITLE')) })
        expect(fields).toEqual(['pinFields'])
      })

      it('with an unknown enum name answers 400', async () => {
        expect(await refused({ jobTitle: 'A', pinFields: ['USER_PROFILE_FIELD_SHOE_SIZE'] })).toMatchObject({
          ...{ status: 400, code: 'invalid_argument' },
        })
      })

      it('keeps values in canonical form', async () => {
        const { data } = await updated({
          ...{ primaryPhone: `+1 (415) 555-${String(serial).padStart(4, '0')}`, timezone: 'asia/kolkata' },
          ...{ locale: 'EN-gb', avatarUrl: 'HTTPS://X.Example/a b.png'.replace(' ', '%20') },
        })
        expect(data).toMatchObject({
          ...{ primaryPhone: phoneOf(serial), timezone: 'Asia/Kolkata', locale: 'en-GB' },
          avatarUrl: 'https://x.example/a%20b.png',
        })
      })

      it('adds a saved department to the options of the organization, and a skipped one not', async () => {
        const name = `Department ${door} ${id}`
        await updated({ department: name }, admin)
        await updated({ department: `${name} skipped` })
        const { answer } = await call('listDepartmentOptions', {})
        const names: string[] = answer.json.data.map((option: { name: string }) => option.name)
        expect(names).toEqual([...names].sort())
        expect(names.filter((each) => each.startsWith(name))).toEqual([name])
      })

      it('leaves an event with the owners before and after, and without a value', async () => {
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

    describe('a phone number', () => {
      it('of another member is refused in a direct edit, and nothing is written', async () => {
        const phone = phoneOf(serial)
        await newUser({ primary_phone: phone })
        expect(await refused({ primaryPhone: phone, lastName: 'L' })).toMatchObject({
          ...{ status: 409, code: 'already_exists', reason: 'PHONE_TAKEN' },
        })
      })

      it('of a member of another organization is free', async () => {
        const phone = phoneOf(serial)
        await newUser({ primary_phone: phone }, globex)
        expect((await updated({ primaryPhone: phone })).data.primaryPhone).toBe(phone)
      })

      it('can be given again once its holder has given it up', async () => {
        const phone = phoneOf(serial)
        const holder = await newUser({ primary_phone: phone })
        await update({ primaryPhone: '' }, key, holder)
        expect((await updated({ primaryPhone: phone })).data.primaryPhone).toBe(phone)
      })
    })

    describe('an email change', () => {
      it('is applied, and leaves an event', async () => {
        const email = `New.${id}.${door}@Example.com`
        expect((await updated({ email })).data.email).toBe(email)
        expect((await eventsOf(id)).map(({ action }) => action)).toEqual(['user.update_email'])
      })

      it.each<RequestJson>([
        { jobTitle: 'A' },
        { role: 'USER_ROLE_ORG_GUEST' },
        { releaseFields: [field('JOB_TITLE')] },
        { firstName: 'Ada' },
      ])('together with %j is refused', async (other) => {
        expect(await refused({ email: `other.${id}@example.com`, ...other })).toMatchObject({
          ...{ status: 400, code: 'invalid_argument', reason: 'EMAIL_CHANGE_NOT_ALONE', fields: ['email'] },
        })
      })

      it('to the current address, whatever its case, is none', async () => {
        const { data } = await updated({ email: `${id}@EXAMPLE.com`, jobTitle: 'A' })
        expect(data).toMatchObject({ email: `${id}@example.com`, jobTitle: 'A' })
      })

      it('to the address of a member, deactivated or not, names the holder', async () => {
        const holder = await newUser({ last_name: 'Byron', deactivated_at: new Date() })
        const answer = await refused({ email: `${holder.toUpperCase()}@example.com` })
        expect(answer).toMatchObject({ status: 409, code: 'already_exists', reason: 'EMAIL_TAKEN' })
        expect(answer.metadata).toEqual({ holderId: holder, holderName: 'Ada Byron' })
        expect(answer.message).toContain(`Ada Byron (user ${holder})`)
      })

      it('to the address of a person of another organization is free', async () => {
        const other = await newUser({}, globex)
        expect((await updated({ email: `${other}@example.com` })).data.email).toBe(`${other}@example.com`)
      })

      it('of a directory user, and of a user of several organizations, is refused, in this order', async () => {
        const holder = await newUser()
        await insertUser(service.database, { id, organizationId: globex })
        const email = `${holder}@example.com`
        expect(await refused({ email })).toMatchObject({
          ...{ status: 400, code: 'failed_precondition', reason: 'EMAIL_SHARED_BETWEEN_ORGANIZATIONS' },
        })
        await syncFromDirectory(id, { supplied: {} })
        expect(await refused({ email })).toMatchObject({
          ...{ status: 400, code: 'failed_precondition', reason: 'EMAIL_MANAGED_BY_DIRECTORY' },
        })
        expect(await refused({ email, jobTitle: 'A' })).toMatchObject({ reason: 'EMAIL_CHANGE_NOT_ALONE' })
      })
    })

    it('whose id cannot be stored is refused as any other that is none', async () => {
      const answers = [await update({ jobTitle: 'A' }, key, 'a\u0000'), await call('getUser', { id: 'a\u0000' })]
      expect(answers.map(({ status }) => status)).toEqual([400, 400])
    })

    describe('a person', () => {
      const ownToken = () => insertUserToken(service.database, { userId: id })

      it.each(['ORG_MEMBER', 'ORG_GUEST'])(
        'with the role %s and no permission changes the own profile',
        async (role) => {
          id = await newUser({ role })
          const { data } = await updated({ jobTitle: 'A' }, await ownToken())
          expect([data.jobTitle, ownersOf(data)]).toEqual(['A', ['JOB_TITLE: PINNED']])
        },
      )

      it('does not change the own role, an administrator neither', async () => {
        for (const role of ['ORG_MEMBER', 'ORG_ADMIN']) {
          id = await newUser({ role })
          expect(await refused({ role: 'USER_ROLE_ORG_GUEST', jobTitle: 'A' }, await ownToken())).toMatchObject({
            ...{ status: 403, code: 'permission_denied', reason: 'OWN_ROLE' },
          })
        }
      })

      it('who administers the organization changes the role of another', async () => {
        expect((await updated({ role: 'USER_ROLE_ORG_GUEST' }, admin)).data.role).toBe('USER_ROLE_ORG_GUEST')
        expect((await eventsOf(id)).map(({ action }) => action)).toEqual(['user.update_role'])
      })

      it.each([users.requester, users.guest, users.viewer, users.manager])(
        'such as %s does not change another',
        async (userId) => {
          const token = await insertUserToken(service.database, { userId })
          expect(await refused({ jobTitle: 'A' }, token)).toMatchObject({
            ...{ status: 403, code: 'permission_denied', reason: 'PERMISSION_MISSING' },
          })
        },
      )

      it.each([users.requester, users.admin])(
        'such as %s hears the same of a stranger and of nobody',
        async (userId) => {
          const token = await insertUserToken(service.database, { userId })
          const answers = await Promise.all(
            [users.globexAdmin, 'nobody'].map((strange) => update({ jobTitle: 'A' }, token, strange)),
          )
          const told = answers.map(({ status, reason, message }) => `${status} ${reason} ${message}`)
          expect(told).toEqual(
            Array.from(told, () => '404 RESOURCE_NOT_FOUND user not found: nothing within reach has this id'),
          )
        },
      )
    })

    describe('a new user', () => {
      const newEmail = () => {
        serial += 1
        return `new.${door}.${serial}@example.com`
      }
      const created = async (user: RequestJson, token?: string) => {
        const { answer } = await call('createUser', user, token)
        expect([answer.status, answer.text]).toEqual([200, answer.text])
        expect(Object.keys(answer.json)).toEqual(['data'])
        return answer.json.data
      }

      it('has what was given, the default role, and an event', async () => {
        const email = newEmail()
        const user = await created({ email, firstName: 'Ada', department: `New ${email}`, timezone: 'UTC' })
        expect(user).toMatchObject({
          ...{ email, firstName: 'Ada', name: 'Ada', role: 'USER_ROLE_ORG_MEMBER', timezone: 'UTC' },
        })
        expect(ownersOf(user)).toEqual([])
        expect(await call('getUser', { id: user.id })).toMatchObject({ answer: { json: { data: user } } })
        expect((await eventsOf(user.id)).map(({ action }) => action)).toEqual(['user.create'])
        const options = (await call('listDepartmentOptions', {})).answer.json.data
        expect(options.map((option: { name: string }) => option.name)).toContain(`New ${email}`)
      })

      it('is pinned where a key asks for it, and where a user token has set it', async () => {
        const names = { firstName: 'Ada', lastName: 'Lovelace', jobTitle: 'A' }
        const byKey = await created({ email: newEmail(), ...names, pinFields: [field('LAST_NAME')] })
        expect(ownersOf(byKey)).toEqual(['LAST_NAME: PINNED'])
        const byUser = await created({ email: newEmail(), ...names }, admin)
        expect(ownersOf(byUser)).toEqual(['FIRST_NAME: PINNED', 'LAST_NAME: PINNED', 'JOB_TITLE: PINNED'])
      })

      it.each([
        [{ email: '' }, 'FIELD_REQUIRED', 'email'],
        [{ jobTitle: 'A', pinFields: [field('JOB_TITLE')] }, 'PIN_FIELD_NOT_ALLOWED', 'pinFields[0]'],
        [{ pinFields: [field('FIRST_NAME')] }, 'PIN_FIELD_NOT_SET', 'pinFields[0]'],
        [{ role: 77 }, 'FIELD_INVALID', 'role'],
      ])('with %j is refused', async (given, reason, at) => {
        const outcome = await call('createUser', { email: newEmail(), ...given })
        expect(outcome).toMatchObject({ status: 400, code: 'invalid_argument', reason, fields: [at] })
      })

      it('with the address of a member, in any case, is refused and names the holder', async () => {
        const outcome = await call('createUser', { email: `${id.toUpperCase()}@EXAMPLE.COM` })
        expect(outcome).toMatchObject({ status: 409, reason: 'EMAIL_TAKEN', metadata: { holderId: id } })
      })

      it('with the phone number of a member is refused, and nobody is added', async () => {
        const phone = phoneOf(serial)
        await newUser({ primary_phone: phone })
        const email = newEmail()
        expect(await call('createUser', { email, primaryPhone: phone })).toMatchObject({
          ...{ status: 409, code: 'already_exists', reason: 'PHONE_TAKEN' },
        })
        expect(await service.database.query('SELECT FROM users WHERE email = $1', [email])).toEqual([])
      })

      it('with the address of a person of another organization is that person, with a profile of its own', async () => {
        const person = await newUser({ first_name: 'Grace', job_title: 'Admiral' }, globex)
        const before = await stateOf(person)
        const user = await created({ email: `${person}@example.com`, firstName: 'G.' })
        expect(user).toMatchObject({ id: person, firstName: 'G.', jobTitle: '' })
        const after = await stateOf(person)
        expect(after.rows).toHaveLength(2)
        expect(after.rows[1]).toEqual(before.rows[0])
      })

      it.each([users.manager, users.viewer])('is not made by %s, whose role is a team’s', async (userId) => {
        const token = await insertUserToken(service.database, { userId })
        expect(await call('createUser', { email: newEmail() }, token)).toMatchObject({ status: 403 })
      })
    })

    describe('reading', () => {
      it('is open to whoever has users:read in any team', async () => {
        for (const userId of [users.viewer, users.guest]) {
          const token = await insertUserToken(service.database, { userId })
          expect((await call('getUser', { id }, token)).status).toBe(200)
          expect((await call('listUsers', { pageSize: 1 }, token)).status).toBe(200)
        }
      })

      it('a member of another organization is reading nobody, with one text', async () => {
        const strange = await call('getUser', { id: users.globexAdmin })
        const nobody = await call('getUser', { id: 'nobody' })
        expect(strange).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', message: nobody.message })
      })

      it('page after page gives every active member once, in the order of creation', async () => {
        await newUser({ deactivated_at: new Date() })
        const idsOf = async (query: RequestJson) => {
          const ids: string[] = []
          let pageToken = ''
          do {
            const { answer } = await call('listUsers', { ...query, pageSize: 3, pageToken })
            expect([answer.status, answer.text]).toEqual([200, answer.text])
            ids.push(...answer.json.data.map((user: { id: string }) => user.id))
            pageToken = answer.json.nextPageToken
          } while (pageToken !== '')
          return ids
        }
        const stored = (condition: string) =>
          service.database
            .query<{ user_id: string }>(
              `SELECT user_id FROM memberships WHERE organization_id = $1 AND ${condition} ORDER BY ordinal`,
              [acme],
            )
            .then((rows) => rows.map((row) => row.user_id))
        expect(await idsOf({})).toEqual(await stored('deactivated_at IS NULL'))
        expect(await idsOf({ includeDeactivated: true })).toEqual(await stored('true'))
      })

      it('refuses a page token of another query', async () => {
        const { answer } = await call('listUsers', { pageSize: 1 })
        const pageToken = answer.json.nextPageToken
        expect(await call('listUsers', { pageToken, includeDeactivated: true })).toMatchObject({
          ...{ status: 400, reason: 'PAGE_TOKEN_INVALID' },
        })
        expect(await call('listUsers', { pageSize: -1 })).toMatchObject({ status: 400, fields: ['pageSize'] })
      })
    })
  })

  it('of two organizations share nothing: each sees and changes its own profile of a person', async () => {
    await insertUser(service.database, { id, organizationId: globex, columns: { job_title: 'Globex title' } })
    const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
    const call = userMethodCaller(
      () => service,
      'REST',
      () => key,
    )
    await call('updateUser', { id, jobTitle: 'Acme title', pinFields: [field('JOB_TITLE')] })
    const there = (await call('updateUser', { id, jobTitle: 'Changed' }, foreign)).answer.json
    expect(there.skippedPinnedFields).toEqual([])
    expect(there.data.jobTitle).toBe('Changed')
    expect((await call('getUser', { id })).answer.json.data.jobTitle).toBe('Acme title')
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
