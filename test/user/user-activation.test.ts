import { describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertUserToken } from '../support/fixture.js'
import { protocols } from '../support/method-forms.js'
import {
  admin,
  eventsOf,
  id,
  key,
  replaceUser,
  service,
  stateOf,
  syncFromDirectory,
  updatesOver,
  useUsers,
  worker,
} from '../support/users.js'

useUsers()

const changes = ['deactivateUser', 'reactivateUser', 'endUserSessions'] as const

describe.each(protocols)('access over %s', (protocol) => {
  const { call } = updatesOver(protocol)
  /** Whether a token is accepted. */
  const isAccepted = async (token: string) => (await call('getUser', { id }, token)).reason !== 'CREDENTIAL_INVALID'
  const succeeds = async (...request: Parameters<typeof call>) => {
    const { answer } = await call(...request)
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    return answer.json
  }
  const actionsOf = async (userId: string) => (await eventsOf(userId)).map(({ action }) => action)
  const refused = async (...[name, request, token, headers]: Parameters<typeof call>) => {
    const before = await stateOf(String(request['id']))
    const { code, reason, metadata } = await call(name, request, token, headers)
    expect(await stateOf(String(request['id']))).toEqual(before)
    return { code, reason, metadata }
  }

  it('of a deactivated user ends at once, for every token, and reactivation brings none of them back', async () => {
    const tokens = [await insertUserToken(service.database, { userId: id })]
    tokens.push(await insertUserToken(service.database, { userId: id }))
    const { data } = await succeeds('deactivateUser', { id })
    expect(data).toMatchObject({ id, firstName: 'Ada', deactivatedAt: expect.stringMatching(/Z$/) })
    for (const token of tokens) expect(await isAccepted(token)).toBe(false)
    expect((await succeeds('reactivateUser', { id })).data).not.toHaveProperty('deactivatedAt')
    for (const token of tokens) expect(await isAccepted(token)).toBe(false)
    expect(await isAccepted(await insertUserToken(service.database, { userId: id }))).toBe(true)
    expect(await actionsOf(id)).toEqual(['user.deactivate', 'user.reactivate'])
  })

  it('that is as asked for stays so, without an event', async () => {
    await succeeds('deactivateUser', { id })
    const before = await stateOf(id)
    await succeeds('deactivateUser', { id })
    expect(await stateOf(id)).toEqual(before)
    await succeeds('reactivateUser', { id })
    await succeeds('reactivateUser', { id })
    expect(await actionsOf(id)).toEqual(['user.deactivate', 'user.reactivate'])
  })

  it('ends with the sessions, and begins anew with another token', async () => {
    const [token, other] = await Promise.all(
      [id, fixture.users.viewer].map((userId) => insertUserToken(service.database, { userId })),
    )
    expect(await succeeds('endUserSessions', { id })).toEqual({})
    expect([await isAccepted(token ?? ''), await isAccepted(other ?? '')]).toEqual([false, true])
    expect(await isAccepted(await insertUserToken(service.database, { userId: id }))).toBe(true)
    expect(await actionsOf(id)).toEqual(['user.end_sessions'])
  })

  it('is listed by the sessions that have not ended, the newest first', async () => {
    const own = await insertUserToken(service.database, { userId: id })
    const other = await insertUserToken(service.database, { userId: fixture.users.requester })
    const sessions = `SELECT * FROM user_tokens WHERE user_id = '${id}'`
    for (const [since, left] of [
      ['2 days', '1 hour'],
      ['3 days', '-1 second'],
      ['1 hour', '10 days'],
    ]) {
      await service.database.execute(`
        INSERT INTO user_tokens (organization_id, user_id, token_hash, created_at, expires_at)
        SELECT organization_id, user_id, sha256('${protocol} ${since}'), date_trunc('hour', now()) - interval '${since}',
               date_trunc('hour', now()) + interval '${left}' FROM (${sessions} LIMIT 1) token`)
    }
    const list = async (token: string) => (await succeeds('listUserSessions', { userId: id }, token)).data
    const [newest, ...others] = await list(own)
    expect(Object.keys(newest)).toEqual(['createdAt', 'expiresAt'])
    const rows = await service.database.query<{ createdAt: Date; expiresAt: Date }>(
      `SELECT created_at AS "createdAt", expires_at AS "expiresAt" FROM (${sessions}) x WHERE expires_at > now()
        ORDER BY created_at DESC`,
    )
    expect(rows).toHaveLength(3)
    expect([newest, ...others]).toEqual(JSON.parse(JSON.stringify(rows)))
    expect(await list(key)).toEqual([newest, ...others])
    expect((await call('listUserSessions', { userId: id }, other)).reason).toBe('PERMISSION_MISSING')
    expect((await call('listUserSessions', { userId: 'nobody' }, key)).reason).toBe('RESOURCE_NOT_FOUND')
    await succeeds('endUserSessions', { id })
    expect(await list(key)).toEqual([])
  })

  it('is recorded with the name of what changed', async () => {
    await succeeds('deactivateUser', { id }, admin)
    const [event] = (await succeeds('listAuditEvents', { targetId: id }, admin)).data
    expect(event).toMatchObject({
      action: 'user.deactivate',
      actor: { kind: 'ACTOR_KIND_USER', id: fixture.users.admin },
      changedFields: ['deactivatedAt'],
    })
  })

  it('of whom the directory provisions is up to the directory, but not their sessions', async () => {
    await syncFromDirectory(id, { supplied: { JOB_TITLE: 'Analyst' } })
    const managed = { code: 'failed_precondition', reason: 'USER_MANAGED_BY_DIRECTORY', metadata: {} }
    expect(await refused('deactivateUser', { id }, admin)).toEqual(managed)
    await succeeds('reactivateUser', { id })
    await succeeds('endUserSessions', { id })
    await syncFromDirectory(id, { supplied: {}, active: false })
    expect(await refused('reactivateUser', { id }, admin)).toEqual(managed)
    await succeeds('deactivateUser', { id })
  })

  it('of administrators is changed only by those who may change who is one', async () => {
    await replaceUser({ role: 'ORG_ADMIN' })
    const some = await insertApiKey(service.database, {
      organizationId: fixture.acme,
      permissions: ['users:read', 'users:write'],
    })
    const denied = {
      code: 'permission_denied',
      reason: 'PERMISSION_MISSING',
      metadata: { permission: 'USER_ROLE_ORG_ADMIN' },
    }
    for (const token of [some.token, worker]) {
      expect(await refused('deactivateUser', { id }, token)).toEqual(denied)
      expect(await refused('endUserSessions', { id }, token)).toEqual(denied)
    }
    await succeeds('deactivateUser', { id }, admin)
    for (const token of [some.token, worker]) expect(await refused('reactivateUser', { id }, token)).toEqual(denied)
    await succeeds('reactivateUser', { id }, key)
    await succeeds('endUserSessions', { id }, key)
  })

  it('cannot be taken from oneself', async () => {
    expect(await refused('deactivateUser', { id: fixture.users.admin }, admin)).toMatchObject({
      code: 'permission_denied',
      reason: 'OWN_DEACTIVATION',
    })
  })

  it.each(changes)('is changed by %s only in the version that If-Match names', async (change) => {
    const { answer } = await call('getUser', { id })
    const current = { 'if-match': answer.headers.get('etag') ?? '' }
    expect((await refused(change, { id }, key, { 'if-match': '"another"' })).reason).toBe('ETAG_MISMATCH')
    const changed = await call(change, { id }, key, current)
    expect(changed.status).toBe(200)
    if (change !== 'endUserSessions') {
      const { answer: read } = await call('getUser', { id })
      expect(changed.answer.headers.get('etag')).toBe(read.headers.get('etag'))
    }
  })

  it.each(changes)(
    'is changed by %s only by those with users:write, for a member of the organization',
    async (change) => {
      const manager = await insertUserToken(service.database, { userId: fixture.users.manager })
      expect(await refused(change, { id }, manager)).toEqual({
        code: 'permission_denied',
        reason: 'PERMISSION_MISSING',
        metadata: { permission: 'users:write' },
      })
      for (const unknown of ['nobody', fixture.users.globexAdmin]) {
        expect((await refused(change, { id: unknown })).reason).toBe('RESOURCE_NOT_FOUND')
      }
    },
  )
})
