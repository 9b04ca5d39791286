import { beforeEach, describe, expect, it } from '@jest/globals'
import { writeDirectoryUser } from './support/directory.js'
import { fixture, insertApiKey, insertUser, insertUserToken } from './support/fixture.js'
import { protocols } from './support/method-forms.js'
import { ownersOf, userMethodCaller } from './support/user-methods.js'
import { admin, key, serial, service, useUsers } from './support/users.js'

const { acme, globex, users } = fixture
const manager = 'USER_PROFILE_FIELD_MANAGER'

describe('the manager of a user', () => {
  let ada: string
  let bob: string
  let cid: string
  useUsers()
  beforeEach(async () => {
    ;[ada, bob, cid] = [`ada-${serial}`, `bob-${serial}`, `cid-${serial}`]
    for (const id of [ada, bob, cid]) await insertUser(service.database, { id, organizationId: acme })
  })

  describe.each(protocols)('over %s', (protocol) => {
    const call = userMethodCaller(
      () => service,
      protocol,
      () => key,
    )
    const assign = async (userId: string, relatedUserId: string, options: { pin?: boolean; token?: string } = {}) => {
      const { token, ...pin } = options
      const { answer } = await call('assign', { userId, relatedUserId, ...pin }, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json
    }
    const clear = async (userId: string, options: { pin?: boolean; token?: string } = {}) => {
      const { token, ...pin } = options
      const { answer } = await call('clear', { userId, ...pin }, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json
    }
    const stateOf = async (userId: string) => {
      const { data } = (await call('getUser', { id: userId })).answer.json
      return [data.managerUserId, ...ownersOf(data)]
    }

    it('is assigned, replaced and read', async () => {
      const { data, ...lists } = await assign(ada, bob)
      expect(data).toEqual({
        userId: ada,
        relatedUserId: bob,
        relationshipType: 'USER_RELATIONSHIP_TYPE_MANAGER',
        createdAt: expect.stringMatching(/\.\d{3}Z$/),
      })
      expect(lists).toEqual({ skippedPinnedFields: [], skippedDirectoryLockedFields: [] })
      expect((await call('getRelationship', { userId: ada })).answer.json).toEqual({ data })
      expect((await assign(ada, bob)).data).toEqual(data)
      service.runtime.advance(1_000)
      const replaced = await assign(ada, cid)
      expect(replaced.data.relatedUserId).toBe(cid)
      expect(replaced.data.createdAt > data.createdAt).toBe(true)
    })

    it('is pinned by a user token and not by a key, unless the request says otherwise', async () => {
      await assign(ada, bob)
      expect(await stateOf(ada)).toEqual([bob])
      await assign(ada, cid, { pin: true })
      expect(await stateOf(ada)).toEqual([cid, 'MANAGER: PINNED'])
      await assign(bob, cid, { token: admin })
      expect(await stateOf(bob)).toEqual([cid, 'MANAGER: PINNED'])
      await assign(cid, users.admin, { token: admin, pin: false })
      expect(await stateOf(cid)).toEqual([users.admin])
    })

    it('that is pinned is skipped and returned unchanged when a key writes without a pin', async () => {
      const { data } = await assign(ada, bob, { pin: true })
      for (const options of [{}, { pin: false }]) {
        expect(await assign(ada, cid, options)).toEqual({
          data,
          skippedPinnedFields: [manager],
          skippedDirectoryLockedFields: [],
        })
        expect((await assign(ada, bob, options)).skippedPinnedFields).toEqual([])
      }
      expect(await clear(ada)).toEqual({ skippedPinnedFields: [manager], skippedDirectoryLockedFields: [] })
      expect(await stateOf(ada)).toEqual([bob, 'MANAGER: PINNED'])
    })

    it("that is pinned is replaced and cleared by a user's write without a pin, and stays pinned", async () => {
      await assign(ada, bob, { pin: true })
      const replaced = await assign(ada, cid, { token: admin, pin: false })
      expect([replaced.data.relatedUserId, replaced.skippedPinnedFields]).toEqual([cid, []])
      expect(await stateOf(ada)).toEqual([cid, 'MANAGER: PINNED'])
      const cleared = await clear(ada, { token: admin, pin: false })
      expect(cleared).toEqual({ skippedPinnedFields: [], skippedDirectoryLockedFields: [] })
      expect(await stateOf(ada)).toEqual(['', 'MANAGER: PINNED'])
    })

    it('can be cleared even if none is set, and the cleared state can be pinned', async () => {
      await assign(ada, bob)
      expect(await clear(ada)).toEqual({ skippedPinnedFields: [], skippedDirectoryLockedFields: [] })
      expect(await stateOf(ada)).toEqual([''])
      await clear(ada, { pin: true })
      expect(await stateOf(ada)).toEqual(['', 'MANAGER: PINNED'])
      const skipped = await assign(ada, bob)
      expect(skipped).toEqual({ skippedPinnedFields: [manager], skippedDirectoryLockedFields: [] })
      await clear(bob, { token: admin })
      expect(await stateOf(bob)).toEqual(['', 'MANAGER: PINNED'])
    })

    it('is released through the user, after which automation assigns again', async () => {
      await assign(ada, bob, { pin: true })
      await call('updateUser', { id: ada, releaseFields: [manager] })
      expect(await stateOf(ada)).toEqual([bob])
      expect((await assign(ada, cid)).data.relatedUserId).toBe(cid)
    })

    it('that the directory supplies is skipped on every write', async () => {
      await writeDirectoryUser(
        service.database,
        { organizationId: acme, keyId: 'mk', name: 'Okta' },
        ada,
        { supplied: { MANAGER: bob } },
        { runtime: service.runtime, requestId: '' },
      )
      for (const related of [bob, cid]) {
        for (const options of [{}, { pin: true }, { token: admin }]) {
          const answer = await assign(ada, related, options)
          expect([answer.data.relatedUserId, answer.skippedDirectoryLockedFields]).toEqual([bob, [manager]])
        }
      }
      expect((await clear(ada, { pin: true })).skippedDirectoryLockedFields).toEqual([manager])
    })

    it('must be another member of the organization, and no chain may close', async () => {
      await assign(ada, bob)
      await assign(bob, cid)
      const refuse = async (userId: string, relatedUserId: string) => {
        const { status, code, reason, fields } = await call('assign', { userId, relatedUserId })
        return { status, code, reason, fields }
      }
      const failed = { status: 400, code: 'failed_precondition', fields: [] }
      expect(await refuse(cid, cid)).toEqual({ ...failed, reason: 'MANAGER_IS_SELF' })
      expect(await refuse(bob, ada)).toEqual({ ...failed, reason: 'MANAGER_CYCLE' })
      expect(await refuse(cid, ada)).toEqual({ ...failed, reason: 'MANAGER_CYCLE' })
      const unknown = { ...failed, reason: 'MANAGER_NOT_FOUND', fields: ['relatedUserId'] }
      expect(await refuse(cid, users.globexAdmin)).toEqual(unknown)
      expect(await refuse(cid, 'nobody')).toEqual(unknown)
      expect(await stateOf(cid)).toEqual([''])
    })

    it('requires both users, a known type and a user of the organization', async () => {
      expect(await call('assign', { userId: ada })).toMatchObject({
        status: 400,
        reason: 'FIELD_REQUIRED',
        fields: ['relatedUserId'],
      })
      expect(await call('assign', { userId: ada, relatedUserId: bob, relationshipType: 9 })).toMatchObject({
        status: 400,
        reason: 'FIELD_INVALID',
        fields: ['relationshipType'],
      })
      for (const userId of [users.globexAdmin, 'nobody']) {
        const outcomes = [
          await call('assign', { userId, relatedUserId: bob }),
          await call('clear', { userId }),
          await call('getRelationship', { userId }),
        ]
        expect(outcomes.map(({ status }) => status)).toEqual([404, 404, 404])
      }
    })

    it('that is not set returns 404, as for a user of another organization', async () => {
      const none = await call('getRelationship', { userId: ada })
      const stranger = await call('getRelationship', { userId: users.globexAdmin })
      expect(none).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', message: stranger.message })
    })

    it.each([users.manager, users.viewer, users.requester])('cannot be written by %s', async (userId) => {
      const token = await insertUserToken(service.database, { userId })
      expect(await call('assign', { userId: ada, relatedUserId: bob }, token)).toMatchObject({ status: 403 })
      expect(await call('clear', { userId: ada }, token)).toMatchObject({ status: 403 })
      expect(await stateOf(ada)).toEqual([''])
    })

    it('records an event for each write, skipped ones included', async () => {
      await assign(ada, bob, { pin: true })
      await assign(ada, cid)
      await clear(ada, { pin: true })
      const { answer } = await call('listAuditEvents', { targetId: ada })
      expect(
        answer.json.data.map((event: { action: string; changes: { outcome: string }[] }) => [
          event.action,
          ...event.changes.map(({ outcome }) => outcome.replace('FIELD_WRITE_OUTCOME_', '')),
        ]),
      ).toEqual([
        ['user_relationship.delete', 'PINNED'],
        ['user_relationship.create', 'SKIPPED_PINNED'],
        ['user_relationship.create', 'PINNED'],
      ])
    })
  })

  it('is kept separately by each organization of a person', async () => {
    for (const id of [ada, bob]) await insertUser(service.database, { id, organizationId: globex })
    const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
    const call = userMethodCaller(
      () => service,
      'REST',
      () => key,
    )
    await call('assign', { userId: ada, relatedUserId: bob, pin: true })
    // A closed chain in one organization alone would be one if they were read together.
    const there = await call('assign', { userId: bob, relatedUserId: ada }, foreign)
    expect(there.answer.json.data).toMatchObject({ userId: bob, relatedUserId: ada })
    expect((await call('getRelationship', { userId: ada }, foreign)).status).toBe(404)
  })

  it('never closes a chain, however many concurrent assignments cross', async () => {
    const ids = Array.from({ length: 6 }, (_, index) => `ring-${serial}-${index}`)
    for (const id of ids) await insertUser(service.database, { id, organizationId: acme })
    const call = userMethodCaller(
      () => service,
      'REST',
      () => key,
    )
    for (let round = 0; round < 20; round++) {
      // Each alone is good; all together are a ring.
      const outcomes = await Promise.all(
        ids.map((userId, index) => call('assign', { userId, relatedUserId: ids[(index + 1) % ids.length] })),
      )
      expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(ids.length - 1)
      expect(outcomes.filter(({ reason }) => reason === 'MANAGER_CYCLE')).toHaveLength(1)
      await Promise.all(ids.map((userId) => call('clear', { userId })))
    }
  })
})
