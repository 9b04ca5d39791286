import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { governedFields } from '../../src/domain/profile/field-ownership.js'
import { fixture, insertApiKey, insertUserToken } from '../support/fixture.js'
import { protocols, type RequestJson } from '../support/method-forms.js'
import {
  admin,
  eventsOf,
  field,
  id,
  key,
  newEmail,
  newUser,
  phoneOf,
  service,
  stateOf,
  syncFromDirectory,
  updatesOver,
  useUsers,
  worker,
} from '../support/users.js'

useUsers()

/** What is stored of users, without the times and ids of the writes. */
async function contentOf(userIds: readonly string[]) {
  const states = await Promise.all(userIds.map(stateOf))
  const text = JSON.stringify(states, (name, value) =>
    /_since$|_at$|^ordinal$|^version$/.test(name) ? undefined : value,
  )
  return text.replaceAll(/[bs]-\d+(?:rest|connect)-/gi, '')
}

describe.each(protocols)('a batch of updates over %s', (protocol) => {
  const { call } = updatesOver(protocol)
  const batch = (users: readonly RequestJson[], token = key, validateOnly = false) =>
    call('batchUpdateUsers', { users, validateOnly }, token)
  const resultsOf = async (...request: Parameters<typeof batch>) => {
    const { answer } = await batch(...request)
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    return answer.json.data
  }
  const plain = { changedFields: [], skippedPinnedFields: [], skippedDirectoryLockedFields: [] }
  const refused = (reason: string) => ({
    ...plain,
    outcome: 'USER_UPDATE_OUTCOME_REFUSED',
    refusal: expect.objectContaining({ reason: `ERROR_REASON_${reason}`, message: expect.any(String) }),
  })

  it('has a result for each, in their order: what changed, what was skipped, and why one was refused', async () => {
    const [pinned, managed, taken] = [await newUser(), await newUser(), await newUser()]
    await call('updateUser', { id: pinned, jobTitle: 'Pinned' }, admin)
    await syncFromDirectory(managed, { supplied: { DEPARTMENT: 'Sales' } })
    const number = phoneOf(7_000 + Number(taken.replace('user-', '')))
    const results = await resultsOf([
      { id, department: 'R&D', role: 'USER_ROLE_ORG_GUEST' },
      { id: pinned, jobTitle: 'Lead', lastName: 'Byron' },
      { id: managed, department: 'R&D' },
      { id: 'nobody', department: 'R&D' },
      { id: taken, primaryPhone: number },
      { id: fixture.users.viewer, primaryPhone: number, department: 'R&D' },
    ])
    expect(results).toEqual([
      { ...plain, userId: id, outcome: 'USER_UPDATE_OUTCOME_UPDATED', changedFields: ['role', 'department'] },
      {
        ...plain,
        userId: pinned,
        outcome: 'USER_UPDATE_OUTCOME_UPDATED',
        changedFields: ['lastName'],
        skippedPinnedFields: [field('JOB_TITLE')],
      },
      {
        ...plain,
        userId: managed,
        outcome: 'USER_UPDATE_OUTCOME_UNCHANGED',
        skippedDirectoryLockedFields: [field('DEPARTMENT')],
      },
      { userId: 'nobody', ...refused('RESOURCE_NOT_FOUND') },
      { ...plain, userId: taken, outcome: 'USER_UPDATE_OUTCOME_UPDATED', changedFields: ['primaryPhone'] },
      { userId: fixture.users.viewer, ...refused('PHONE_TAKEN') },
    ])
    const actions = await Promise.all([id, managed, fixture.users.viewer].map(eventsOf))
    expect(actions.map((events) => events.map(({ action }) => action))).toEqual([
      ['user.update', 'user.update_role'],
      ['user.directory_sync', 'user.update'],
      [],
    ])
  })

  it('changes addresses, one after the other, and says who has one that is taken', async () => {
    const other = await newUser()
    const address = newEmail()
    const [first, second, both] = await resultsOf([
      { id, email: address },
      { id: other, email: address },
      { id: fixture.users.agent, email: newEmail(), jobTitle: 'Agent' },
    ])
    expect([first.changedFields, second.refusal.reason, second.refusal.metadata.holderId, both.refusal.reason]).toEqual(
      [['email'], 'ERROR_REASON_EMAIL_TAKEN', id, 'ERROR_REASON_EMAIL_CHANGE_NOT_ALONE'],
    )
    // What one gives up is free for the next.
    const [, freed] = await resultsOf([
      { id, email: newEmail() },
      { id: other, email: address },
    ])
    expect(freed.outcome).toBe('USER_UPDATE_OUTCOME_UPDATED')
  })

  const value = fc.constantFrom('', 'x', 'y')
  const update = fc.record(
    {
      department: value,
      jobTitle: value,
      lastName: value,
      primaryPhone: fc.constantFrom('', '+14155559901', '+14155559902'),
      role: fc.constantFrom('USER_ROLE_ORG_MEMBER', 'USER_ROLE_ORG_GUEST', 'USER_ROLE_ORG_ADMIN'),
      email: fc.constantFrom('swap.one@example.com', 'swap.two@example.com', 'admin@example.com'),
      releaseFields: fc.constantFrom([field('LAST_NAME')], governedFields.map(field)),
    },
    { requiredKeys: [] },
  )

  it('does what its plan says and what the updates do one by one, and its plan changes nothing', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(update, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('key', 'admin', 'worker'),
        fc.nat(4),
        async (updates, kind, managed) => {
          run += 1
          const token = { key, admin, worker }[kind]
          const make = async (set: string) => {
            const ids = updates.map((_, n) => `${set}-${run}${protocol}-${n}`)
            for (const [n, userId] of ids.entries()) {
              await service.database.execute(
                `INSERT INTO memberships (organization_id, user_id, email, last_name_owner, department_owner, directory_managed, role)
                 VALUES ($1, $2, $3, 'PINNED', $4, $5, $6)`,
                [
                  fixture.acme,
                  userId,
                  `${userId}@example.com`,
                  n === managed ? 'DIRECTORY' : 'AUTOMATION',
                  n === managed,
                  n === 1 ? 'ORG_ADMIN' : 'ORG_MEMBER',
                ],
              )
            }
            return ids
          }
          const free = async (ids: readonly string[]) => {
            for (const userId of ids) {
              await service.database.execute('DELETE FROM memberships WHERE user_id = $1', [userId])
            }
          }
          const ids = await make('b')
          const users = updates.map((change, n) => ({ id: ids[n], ...change }))
          const before = await contentOf(ids)
          const planned = await resultsOf(users, token, true)
          expect(await contentOf(ids)).toBe(before)
          expect(await resultsOf(users, token)).toEqual(planned)
          const batched = await contentOf(ids)
          await free(ids)

          const singles = await make('s')
          const reasons: (string | undefined)[] = []
          for (const [n, userId] of singles.entries()) {
            reasons.push((await call('updateUser', { id: userId, ...updates[n] }, token)).reason)
          }
          expect(await contentOf(singles)).toBe(batched)
          expect(planned.map(({ refusal }: RequestJson) => (refusal as RequestJson | undefined)?.['reason'])).toEqual(
            reasons.map((reason) => (reason === undefined ? undefined : `ERROR_REASON_${reason}`)),
          )
          await free(singles)
        },
      ),
      { numRuns: 12 },
    )
  })

  it('is refused as a whole if one update is malformed or repeated, or for more than 500', async () => {
    const before = await stateOf(id)
    for (const [users, reason, fields] of [
      [[{ id, jobTitle: 'A' }, { id }], 'DUPLICATE_ID', ['users[1].id']],
      [
        [
          { id, jobTitle: 'A' },
          { id: 'x', timezone: 'Berlin' },
        ],
        'FIELD_INVALID',
        ['users[1].timezone'],
      ],
      [[{ id, pinFields: [field('LOCALE')] }], 'PIN_FIELD_NOT_SET', ['users[0].pinFields[0]']],
      [[{ id, jobTitle: 'A' }, { jobTitle: 'B' }], 'FIELD_REQUIRED', ['users[1].id']],
      [[], 'BATCH_SIZE_OUT_OF_RANGE', ['users']],
      [Array.from({ length: 501 }, (_, n) => ({ id: `u${n}` })), 'BATCH_SIZE_OUT_OF_RANGE', ['users']],
    ] as const) {
      const outcome = await batch(users)
      expect([outcome.status, outcome.reason, outcome.fields]).toEqual([400, reason, fields])
    }
    const reader = await insertApiKey(service.database, { organizationId: fixture.acme, permissions: ['users:read'] })
    const manager = await insertUserToken(service.database, { userId: fixture.users.manager })
    for (const token of [reader.token, manager]) {
      expect((await batch([{ id, jobTitle: 'A' }], token)).reason).toBe('PERMISSION_MISSING')
    }
    expect(await stateOf(id)).toEqual(before)
  })

  it('refuses users of another organization like unknown ones', async () => {
    const [unknown, foreign] = await resultsOf([{ id: 'nobody' }, { id: fixture.users.globexAdmin }])
    expect({ ...foreign, userId: '', refusal: foreign.refusal.message }).toEqual({
      ...unknown,
      userId: '',
      refusal: unknown.refusal.message,
    })
  })
})
