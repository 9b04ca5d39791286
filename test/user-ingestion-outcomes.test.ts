import { beforeEach, describe, expect, it } from '@jest/globals'
import { countOf, ingestionOver } from './support/ingestion.js'
import { protocols } from './support/method-forms.js'
import { field, phoneOf, serial, useUsers } from './support/users.js'

describe('the outcome of each profile of an ingestion', () => {
  let phone: string
  useUsers()
  beforeEach(() => {
    phone = phoneOf(serial)
  })

  describe.each(protocols)('over %s', (protocol) => {
    const { call, emailOf, profile, ingest, userOf, outcomesOf } = ingestionOver(protocol)

    it.each([
      ['first', 0],
      ['last', 1],
    ])('lets a manager and a report change places, with the new report %s', async (_, place) => {
      const [boss, report] = [profile({}, '-boss'), profile({ managerEmail: emailOf('-boss') }, '-report')]
      const [{ userId: bossId }, { userId: reportId }] = await ingest(boss, report)
      const changed = [profile({ managerEmail: emailOf('-report') }, '-boss'), profile({ managerEmail: '' }, '-report')]
      const results = await ingest(...(place === 0 ? changed : changed.toReversed()))
      expect(results.map((result: { unresolvedManager: boolean }) => result.unresolvedManager)).toEqual([false, false])
      expect((await userOf(bossId)).managerUserId).toBe(reportId)
      expect((await userOf(reportId)).managerUserId).toBe('')
      expect(outcomesOf(await ingest(...changed))).toEqual(['UNCHANGED', 'UNCHANGED'])
    })

    it('turns a chain round, in any order of the profiles', async () => {
      const chain = (a: string, b: string, c: string) => [
        profile({ managerEmail: a && emailOf(a) }, '-a'),
        profile({ managerEmail: b && emailOf(b) }, '-b'),
        profile({ managerEmail: c && emailOf(c) }, '-c'),
      ]
      const ids = (await ingest(...chain('', '-a', '-b'))).map(({ userId }: { userId: string }) => userId)
      const managersOf = () => Promise.all(ids.map(async (id: string) => (await userOf(id)).managerUserId))
      expect(await managersOf()).toEqual(['', ids[0], ids[1]])
      await ingest(...chain('-b', '-c', ''))
      expect(await managersOf()).toEqual([ids[1], ids[2], ''])
      await ingest(...chain('', '-a', '-b').toReversed())
      expect(await managersOf()).toEqual(['', ids[0], ids[1]])
      // The middle one to the top, in a call without the one below.
      await ingest(profile({ managerEmail: emailOf('-b') }, '-a'), profile({ managerEmail: '' }, '-b'))
      expect(await managersOf()).toEqual([ids[1], '', ids[1]])
    })

    it('judges changed places by who keeps the manager: an owner, or somebody whose new one is refused', async () => {
      const [{ userId: bossId }, { userId: reportId }] = await ingest(
        profile({}, '-boss'),
        profile({ managerEmail: emailOf('-boss') }, '-report'),
      )
      await call('assign', { userId: reportId, relatedUserId: bossId, pin: true })
      const [boss, report] = await ingest(
        profile({ managerEmail: emailOf('-report') }, '-boss'),
        profile({ managerEmail: '' }, '-report'),
      )
      expect(boss.unresolvedManager).toBe(true)
      expect(report).toMatchObject({ skippedPinnedFields: [field('MANAGER')] })

      const [{ userId: topId }, { userId: lowId }] = await ingest(
        profile({}, '-top'),
        profile({ managerEmail: emailOf('-top') }, '-low'),
      )
      const [top, low] = await ingest(
        profile({ managerEmail: emailOf('-low') }, '-top'),
        profile({ managerEmail: 'nobody@example.com' }, '-low'),
      )
      expect([top.unresolvedManager, low.unresolvedManager]).toEqual([true, true])
      expect((await userOf(topId)).managerUserId).toBe('')
      expect((await userOf(lowId)).managerUserId).toBe(topId)
    })

    it.each([
      [
        'a national number',
        'primaryPhone',
        '0171 5550123',
        'PRIMARY_PHONE',
        'must be a phone number in international form',
      ],
      ['a number with an extension', 'primaryPhone', '+14155550123 x5', 'PRIMARY_PHONE', 'must be a phone number'],
      ['a zone of Windows', 'timezone', 'W. Europe Standard Time', 'TIMEZONE', 'must be the IANA name of a time zone'],
      ['a locale of POSIX', 'locale', 'en_US.UTF-8', 'LOCALE', 'must be a language tag'],
      ['a picture over http', 'avatarUrl', 'http://x.example/a.png', 'AVATAR_URL', 'must be an https URL'],
      [
        'a picture in the profile itself',
        'avatarUrl',
        `data:image/png;base64,${'A'.repeat(5_000)}`,
        'AVATAR_URL',
        'must',
      ],
      ['a name for the manager', 'managerEmail', 'The Boss', 'MANAGER', 'must be an email address'],
      ['a title that is too long', 'jobTitle', 'x'.repeat(256), 'JOB_TITLE', 'must have at most 255 characters'],
      ['a line break in a name', 'firstName', 'Ada\nLovelace', 'FIRST_NAME', 'must'],
      ['a character that cannot be stored', 'department', 'R\0D', 'DEPARTMENT', 'must'],
    ])('publishes a profile with %s without it, and says so each time', async (_, at, value, refused, message) => {
      const others = { lastName: 'Lovelace', ...(at !== 'department' && { department: 'R&D' }) }
      const results = await ingest(profile({ ...others, [at]: value }), profile({ jobTitle: 'Fine' }, '-b'))
      expect(outcomesOf(results)).toEqual(['CREATED', 'CREATED'])
      const refusedValues = [{ field: field(refused), message: expect.stringContaining(message) }]
      expect(results).toMatchObject([{ refusedValues, unresolvedManager: false }, { refusedValues: [] }])
      expect(results[0]).not.toHaveProperty('refusal')
      const user = await userOf(results[0].userId)
      expect(user).toMatchObject(others)
      expect(user[at === 'managerEmail' ? 'managerUserId' : at]).toBe('')
      const [again] = await ingest(profile({ ...others, [at]: value }))
      expect(again).toMatchObject({ outcome: 'INGESTION_OUTCOME_UNCHANGED', refusedValues })
      expect(outcomesOf(await ingest(profile({ ...others, jobTitle: 'Mended' })))).toEqual(['UPDATED'])
    })

    it('leaves a value alone that it cannot replace, when a profile is published and when it is republished', async () => {
      const [{ userId }] = await ingest(profile({ primaryPhone: phone, jobTitle: 'A' }))
      await ingest(profile({ primaryPhone: '0171 5550123', jobTitle: 'B' }))
      expect(await userOf(userId)).toMatchObject({ primaryPhone: phone, jobTitle: 'B' })
      const { answer } = await call('republish', { id: userId })
      expect(answer.json.data).toMatchObject({ primaryPhone: phone, jobTitle: 'B' })
    })

    it.each([
      ['no external id', { externalId: '' }, 'REQUIRED', 'externalId', 'externalId: is required'],
      ['a long external id', { externalId: 'x'.repeat(256) }, 'INVALID', 'externalId', 'externalId: must have at most'],
      ['no email', { email: '' }, 'REQUIRED', 'email', 'email: is required'],
      ['a malformed email', { email: 'ada' }, 'INVALID', 'email', 'email: must be an email address'],
      [
        'a name around the email',
        { email: 'Ada <ada@b.example>' },
        'INVALID',
        'email',
        'email: must be an email address',
      ],
    ])('refuses a profile with %s by itself, and publishes the others', async (_, fault, reason, at, message) => {
      const refused = { ...profile({ firstName: 'Nobody' }, '-refused'), ...fault }
      const before = (await countOf('memberships')) ?? 0
      const results = await ingest(profile({}, '-a'), refused, profile({}, '-c'))
      expect(outcomesOf(results)).toEqual(['CREATED', 'REFUSED', 'CREATED'])
      expect(results[1]).toMatchObject({
        externalId: Reflect.get(refused, 'externalId'),
        userId: '',
        refusedValues: [],
        refusal: {
          reason: `ERROR_REASON_FIELD_${reason}`,
          message: expect.stringContaining(message),
          metadata: { field: at },
        },
      })
      expect(await countOf('memberships')).toBe(before + 2)
      expect(outcomesOf(await ingest(profile({}, '-a'), refused))).toEqual(['UNCHANGED', 'REFUSED'])
    })

    it('refuses every profile of a call by itself', async () => {
      const before = await countOf('audit_events')
      expect(outcomesOf(await ingest({ email: 'a@b.example' }, { email: 'b@b.example' }))).toEqual([
        'REFUSED',
        'REFUSED',
      ])
      expect(await countOf('audit_events')).toBe(before)
    })
  })
})
