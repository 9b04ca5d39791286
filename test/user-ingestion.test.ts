import { beforeEach, describe, expect, it } from '@jest/globals'
import { writeDirectoryUser } from './support/directory.js'
import { fixture, insertApiKey, insertUser } from './support/fixture.js'
import { countOf, ingestionOver } from './support/ingestion.js'
import { protocols } from './support/method-forms.js'
import { ownersOf, userMethodCaller } from './support/user-methods.js'
import { admin, field, key, phoneOf, serial, service, useUsers } from './support/users.js'

const { acme, globex, users, it: itTeam } = fixture

describe('ingestion', () => {
  let phone: string
  useUsers()
  beforeEach(() => {
    phone = phoneOf(serial)
  })

  describe.each(protocols)('over %s', (protocol) => {
    const { call, nameOf, emailOf, profile, ingest, ingestFrom, userOf, outcomesOf } = ingestionOver(protocol)

    it('creates a user, updates it when the profile changes, and skips an unchanged profile', async () => {
      const sent = profile({ firstName: 'Ada', timezone: 'europe/london', primaryPhone: phone, department: 'R&D' })
      const [created] = await ingest(sent)
      expect(created).toEqual({
        externalId: nameOf(),
        userId: expect.any(String),
        outcome: 'INGESTION_OUTCOME_CREATED',
        skippedPinnedFields: [],
        skippedDirectoryLockedFields: [],
        skippedPhone: false,
        unresolvedManager: false,
        refusedValues: [],
      })
      const user = await userOf(created.userId)
      expect(user).toMatchObject({ email: emailOf(), firstName: 'Ada', timezone: 'Europe/London', primaryPhone: phone })
      expect(ownersOf(user)).toEqual([])

      await call('updateUser', { id: created.userId, firstName: 'Automatic' })
      expect(await ingest(sent)).toEqual([{ ...created, outcome: 'INGESTION_OUTCOME_UNCHANGED' }])
      expect((await userOf(created.userId)).firstName).toBe('Automatic')
      expect(outcomesOf(await ingest({ ...sent, jobTitle: 'Analyst' }))).toEqual(['UPDATED'])
      expect(await userOf(created.userId)).toMatchObject({ firstName: 'Ada', jobTitle: 'Analyst' })
    })

    it('publishes a profile that changed and then changed back', async () => {
      const [{ userId }] = await ingest(profile({ jobTitle: 'A' }))
      expect(outcomesOf(await ingest(profile({ jobTitle: 'B' })))).toEqual(['UPDATED'])
      expect(outcomesOf(await ingest(profile({ jobTitle: 'A' })))).toEqual(['UPDATED'])
      expect((await userOf(userId)).jobTitle).toBe('A')
    })

    it('leaves absent fields unchanged, and clears empty ones', async () => {
      const [{ userId }] = await ingest(profile({ firstName: 'Ada', jobTitle: 'Analyst' }))
      await ingest(profile({ jobTitle: '' }))
      expect(await userOf(userId)).toMatchObject({ firstName: 'Ada', jobTitle: '' })
    })

    it('finds the user by source and external id, then by email, and does not change the email', async () => {
      const [first] = await ingest(profile())
      const [moved] = await ingest({ externalId: nameOf(), email: emailOf('-moved') })
      expect([moved.userId, moved.outcome]).toEqual([first.userId, 'INGESTION_OUTCOME_UPDATED'])
      expect((await userOf(first.userId)).email).toBe(emailOf())
      const [byEmail] = await ingestFrom('crm', { externalId: 'another', email: emailOf().toUpperCase() })
      expect([byEmail.userId, byEmail.outcome]).toEqual([first.userId, 'INGESTION_OUTCOME_UPDATED'])
      await service.database.execute('UPDATE memberships SET deactivated_at = now() WHERE user_id = $1', [first.userId])
      const [deactivated] = await ingestFrom('erp', { externalId: nameOf(), email: emailOf() })
      expect(deactivated.userId).toBe(first.userId)
      await service.database.execute(`DELETE FROM source_profiles WHERE external_id = 'another'`)
    })

    it('treats two profiles with one address as one user, in their order', async () => {
      const results = await ingest(
        profile({ jobTitle: 'First', firstName: 'Ada' }),
        profile({ jobTitle: 'Second', email: emailOf().toUpperCase() }, '-b'),
      )
      expect(outcomesOf(results)).toEqual(['CREATED', 'UPDATED'])
      expect(results[1].userId).toBe(results[0].userId)
      const { email, firstName, jobTitle } = await userOf(results[0].userId)
      expect([email, firstName, jobTitle]).toEqual([emailOf(), 'Ada', 'Second'])
    })

    it('lists new users in the order of the call, including people known to another organization', async () => {
      const known = `known-${serial}`
      await insertUser(service.database, { id: known, organizationId: globex })
      const results = await ingest(profile(), { externalId: known, email: `${known}@example.com` }, profile({}, '-c'))
      const listed = (await call('listUsers', {})).answer.json.data.map((user: { id: string }) => user.id)
      expect(listed.slice(-3)).toEqual(results.map((result: { userId: string }) => result.userId))
    })

    it('skips pinned and directory-owned fields, and publishes the rest', async () => {
      const [{ userId }] = await ingest(profile({ jobTitle: 'A', department: 'B' }))
      await call('updateUser', { id: userId, jobTitle: 'Pinned' }, admin)
      await writeDirectoryUser(
        service.database,
        { organizationId: acme, keyId: 'mk', name: 'Okta' },
        userId,
        { supplied: { DEPARTMENT: 'Locked' } },
        { runtime: service.runtime, requestId: '' },
      )
      const [result] = await ingest(profile({ jobTitle: 'C', department: 'Locked', locale: 'en' }))
      expect(result).toMatchObject({
        outcome: 'INGESTION_OUTCOME_UPDATED',
        skippedPinnedFields: [field('JOB_TITLE')],
        skippedDirectoryLockedFields: [field('DEPARTMENT')],
      })
      expect(await userOf(userId)).toMatchObject({ jobTitle: 'Pinned', department: 'Locked', locale: 'en' })
    })

    describe('with a phone number that another user has', () => {
      let holder: string
      let userId: string

      beforeEach(async () => {
        holder = `holder-${serial}`
        await insertUser(service.database, { id: holder, organizationId: acme, columns: { primary_phone: phone } })
        const [result] = await ingest(profile({ firstName: 'Ada', primaryPhone: phone }))
        expect(result.skippedPhone).toBe(true)
        userId = result.userId
      })
      const phoneOf = async (id: string) => (await userOf(id)).primaryPhone

      it("skips the number, publishes the rest, and leaves the holder's number", async () => {
        expect((await userOf(userId)).firstName).toBe('Ada')
        expect([await phoneOf(userId), await phoneOf(holder)]).toEqual(['', phone])
      })

      it('does not retry an unchanged profile once the conflict is resolved', async () => {
        await call('updateUser', { id: holder, primaryPhone: '' })
        const [result] = await ingest(profile({ firstName: 'Ada', primaryPhone: phone }))
        expect([result.outcome, result.skippedPhone]).toEqual(['INGESTION_OUTCOME_UNCHANGED', false])
        expect(await phoneOf(userId)).toBe('')
      })

      it('tries the number again when the profile changes', async () => {
        await call('updateUser', { id: holder, primaryPhone: '' })
        const [result] = await ingest(profile({ firstName: 'Eve', primaryPhone: phone }))
        expect([result.skippedPhone, await phoneOf(userId)]).toEqual([false, phone])
      })

      it('tries the number again when the user is republished', async () => {
        const skipped = await call('republish', { id: userId })
        expect([skipped.answer.json.skippedPhone, skipped.answer.json.data.primaryPhone]).toEqual([true, ''])
        await call('updateUser', { id: holder, primaryPhone: '' })
        const { answer } = await call('republish', { id: userId })
        expect([answer.json.skippedPhone, answer.json.data.primaryPhone]).toEqual([false, phone])
      })

      it('reports a pinned phone as pinned, not as a conflict', async () => {
        await call('updateUser', { id: userId, primaryPhone: '' }, admin)
        const { answer } = await call('republish', { id: userId })
        expect(answer.json).toMatchObject({ skippedPhone: false, skippedPinnedFields: [field('PRIMARY_PHONE')] })
      })
    })

    it('gives a number released by an earlier profile of the call to the first later one that claims it', async () => {
      await ingest(profile({ primaryPhone: phone }))
      const results = await ingest(
        profile({ primaryPhone: '' }),
        profile({ primaryPhone: phone }, '-b'),
        profile({ primaryPhone: phone }, '-c'),
      )
      expect(results.map((result: { skippedPhone: boolean }) => result.skippedPhone)).toEqual([false, false, true])
      expect((await userOf(results[1].userId)).primaryPhone).toBe(phone)
    })

    it('leaves both numbers in place when two profiles swap theirs', async () => {
      const other = phone.replace('+1415', '+1312')
      const results = await ingest(profile({ primaryPhone: phone }), profile({ primaryPhone: other }, '-b'))
      const swapped = await ingest(profile({ primaryPhone: other }), profile({ primaryPhone: phone }, '-b'))
      expect(swapped.map((result: { skippedPhone: boolean }) => result.skippedPhone)).toEqual([true, true])
      expect((await userOf(results[0].userId)).primaryPhone).toBe(phone)
      expect((await userOf(results[1].userId)).primaryPhone).toBe(other)
    })

    it('reverses a management chain within one call, profile by profile', async () => {
      await ingest(profile({ managerEmail: emailOf('-b') }), profile({}, '-b'))
      const results = await ingest(profile({ managerEmail: '' }), profile({ managerEmail: emailOf() }, '-b'))
      expect((await userOf(results[1].userId)).managerUserId).toBe(results[0].userId)
      const [unresolved] = await ingest(profile({ managerEmail: emailOf('-b') }))
      expect(unresolved.unresolvedManager).toBe(true)
    })

    it('resolves managers by address after all profiles of the call', async () => {
      const results = await ingest(
        profile({ managerEmail: emailOf('-boss').toUpperCase() }),
        profile({}, '-boss'),
        profile({ managerEmail: 'nobody@example.com' }, '-c'),
        profile({ managerEmail: `${users.globexAdmin}@example.com` }, '-d'),
      )
      const unresolved = results.map((result: { unresolvedManager: boolean }) => result.unresolvedManager)
      expect(unresolved).toEqual([false, false, true, true])
      expect((await userOf(results[0].userId)).managerUserId).toBe(results[1].userId)
      const [cleared] = await ingest(profile({ managerEmail: '' }))
      expect((await userOf(cleared.userId)).managerUserId).toBe('')
    })

    it('skips a manager who would close a cycle or is the user', async () => {
      const results = await ingest(
        profile({ managerEmail: emailOf('-b') }),
        profile({ managerEmail: emailOf('-c') }, '-b'),
        profile({ managerEmail: emailOf() }, '-c'),
        profile({ managerEmail: emailOf('-d') }, '-d'),
      )
      const unresolved = results.map((result: { unresolvedManager: boolean }) => result.unresolvedManager)
      expect(unresolved).toEqual([false, false, true, true])
    })

    it('does not assign a manager if the cleared state is pinned', async () => {
      const [{ userId }] = await ingest(profile())
      await call('clear', { userId, pin: true })
      for (const managerEmail of [`${users.admin}@example.com`, 'nobody@example.com']) {
        const [result] = await ingest(profile({ managerEmail }))
        expect(result).toMatchObject({ skippedPinnedFields: [field('MANAGER')], unresolvedManager: false })
      }
      expect((await userOf(userId)).managerUserId).toBe('')
    })

    it('republishes all source profiles in the order of their last change', async () => {
      const [{ userId }] = await ingest(
        profile({ jobTitle: 'z', firstName: 'Ada' }, '-z'),
        profile({ jobTitle: 'a', email: emailOf('-z') }, '-a'),
      )
      await call('updateUser', { id: userId, jobTitle: 'Changed', firstName: 'Changed' })
      const { answer } = await call('republish', { id: userId })
      expect(answer.json.data).toMatchObject({ firstName: 'Ada', jobTitle: 'a' })
      await ingest(profile({ jobTitle: 'z2' }, '-z'))
      await call('updateUser', { id: userId, jobTitle: 'Changed' })
      expect((await call('republish', { id: userId })).answer.json.data.jobTitle).toBe('z2')
    })

    it('republishes nothing for a user without source profiles, and finds no user of another organization', async () => {
      const before = await countOf('audit_events')
      const { answer } = await call('republish', { id: users.viewer })
      expect(answer.json).toMatchObject({ data: { id: users.viewer }, skippedPinnedFields: [], skippedPhone: false })
      expect(await countOf('audit_events')).toBe(before)
      for (const id of [users.globexAdmin, 'nobody']) {
        expect(await call('republish', { id })).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
      }
    })

    it.each([
      ['no source', { source: '' }, 'FIELD_REQUIRED', 'source'],
      ['an invalid source', { source: 'HR IS' }, 'FIELD_INVALID', 'source'],
      ['no profile', { profiles: [] }, 'BATCH_SIZE_OUT_OF_RANGE', 'profiles'],
      [
        'too many profiles',
        { profiles: Array.from({ length: 1_001 }, (_, index) => ({ externalId: `${index}`, email: 'a@b.example' })) },
        'BATCH_SIZE_OUT_OF_RANGE',
        'profiles',
      ],
      [
        'one external id twice',
        { profiles: [0, 1].map((index) => ({ externalId: 'same', email: `a${index}@b.example` })) },
        'DUPLICATE_ID',
        'profiles[1].externalId',
      ],
      [
        'one external id twice, though one of the profiles is refused',
        { profiles: [{ externalId: 'same', email: 'a@b.example' }, { externalId: 'same' }] },
        'DUPLICATE_ID',
        'profiles[1].externalId',
      ],
    ])('with %s is refused', async (_, request, reason, at) => {
      expect(await call('ingest', { source: 'hris', profiles: [profile()], ...request })).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        reason,
        fields: [at],
      })
    })

    it("is not open to a team's worker", async () => {
      const { token } = await insertApiKey(service.database, { organizationId: acme, teamId: itTeam, kind: 'wk' })
      expect(await call('ingest', { source: 'hris', profiles: [profile()] }, token)).toMatchObject({ status: 403 })
      expect(await call('republish', { id: users.viewer }, token)).toMatchObject({ status: 403 })
    })

    it('creates a separate user for the address and number of a person in another organization', async () => {
      const person = `person-${serial}`
      await insertUser(service.database, { id: person, organizationId: globex, columns: { primary_phone: phone } })
      const [result] = await ingest({ externalId: person, email: `${person}@example.com`, primaryPhone: phone })
      expect(result).toMatchObject({ outcome: 'INGESTION_OUTCOME_CREATED', skippedPhone: false })
      expect(result.userId).not.toBe(person)
      const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
      const there = (await call('getUser', { id: person }, foreign)).answer.json.data
      expect([there.firstName, there.primaryPhone]).toEqual([person, phone])
      // The same source of another organization knows nothing of this one.
      const other = await call('ingest', { source: 'hris', profiles: [profile({ email: emailOf('-x') })] }, foreign)
      expect(outcomesOf(other.answer.json.data)).toEqual(['CREATED'])
    })

    it('records an event for each profile that it publishes', async () => {
      const [{ userId }] = await ingest(profile({ jobTitle: 'A' }))
      await ingest(profile({ jobTitle: 'A' }))
      await ingest(profile({ jobTitle: 'B' }))
      await call('republish', { id: userId })
      const { answer } = await call('listAuditEvents', { targetId: userId })
      expect(
        answer.json.data.map((event: { action: string; changes: { outcome: string }[] }) => [
          event.action,
          ...event.changes.map(({ outcome }) => outcome.replace('FIELD_WRITE_OUTCOME_', '')),
        ]),
      ).toEqual([
        ['user.republish', 'UNCHANGED'],
        ['user.ingest', 'WRITTEN'],
        ['user.create', 'WRITTEN'],
      ])
    })
  })

  it('ingests 1,000 profiles with managers and phones in one call, and again unchanged', async () => {
    const call = userMethodCaller(
      () => service,
      'REST',
      () => key,
    )
    const profiles = Array.from({ length: 1_000 }, (_, index) => ({
      externalId: `bulk-${index}`,
      email: `bulk-${index}@example.com`,
      firstName: `Bulk ${index}`,
      primaryPhone: `+1212555${String(index).padStart(4, '0')}`,
      timezone: 'Europe/Paris',
      managerEmail: `bulk-${Math.floor(index / 10)}@example.com`,
    }))
    const outcomes = async () => {
      const { answer } = await call('ingest', { source: 'bulk', profiles })
      expect([answer.status, answer.text.slice(0, 500)]).toEqual([200, answer.text.slice(0, 500)])
      return answer.json.data.map((result: { outcome: string }) => result.outcome)
    }
    expect(new Set(await outcomes())).toEqual(new Set(['INGESTION_OUTCOME_CREATED']))
    expect(new Set(await outcomes())).toEqual(new Set(['INGESTION_OUTCOME_UNCHANGED']))
    const [row] = await service.database.query<{ managed: string; phones: string }>(
      `SELECT count(manager_user_id) AS managed, count(primary_phone) AS phones
         FROM memberships WHERE email_key LIKE 'bulk-%'`,
    )
    // The first would be the own manager.
    expect(row).toEqual({ managed: '999', phones: '1000' })
  })
})
