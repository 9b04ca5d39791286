import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Tables } from '../../src/db/tables.js'
import { createAccessToken } from '../../src/domain/auth/access-token.js'
import { createApiKey } from '../../src/domain/auth/api-key.js'
import { type Authenticate, createAuthenticator } from '../../src/domain/auth/authentication.js'
import { type BearerTokens, createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createKeyUses, type KeyUses } from '../../src/domain/auth/key-use.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { createUserToken, MAX_USER_TOKEN_SECONDS } from '../../src/domain/auth/user-token.js'
import { type Caller, permissions } from '../../src/domain/caller/caller.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'
import { timed } from '../support/timed.js'

const runtime = createTestRuntime()
const hasher = createSecretHasher()
const log = { warn: () => {} }
const { acme, globex, it: itTeam, people, users } = fixture

describe('authentication', () => {
  let testDatabase: TestDatabase
  let database: Database
  let keyUses: KeyUses
  let bearerTokens: BearerTokens
  let authenticate: Authenticate

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    keyUses = createKeyUses({ database, runtime, log })
    bearerTokens = createBearerTokens({ database, runtime })
    authenticate = createAuthenticator({ database, hasher, keyUses, bearerTokens })
  })

  /** As they are made now: they name their organization. */
  async function newTokens(userId: string = users.admin, organizationId: string = acme): Promise<[string, string]> {
    const options = { database, hasher, keyUses, bearerTokens, runtime }
    const key = await createApiKey(options, { organizationId })
    const { token } = await createUserToken(options, { userId, organizationId })
    const { token: accessToken } = await createAccessToken(options, { clientId: key.id, clientSecret: key.secret })
    return [accessToken, token]
  }

  async function callerOf(token: string): Promise<Caller | undefined> {
    const caller = await authenticate(token)
    return caller === 'expired' ? undefined : caller
  }

  afterAll(async () => {
    await keyUses.flush()
    await testDatabase.drop()
  })

  it("accepts an organization's key, which reaches every team with its permissions", async () => {
    const key = await insertApiKey(database, { organizationId: acme, permissions: ['apps:read', 'users:read'] })
    expect(await authenticate(key.token)).toEqual({
      kind: 'ORGANIZATION_API_KEY',
      id: key.id,
      name: 'Key pk',
      organizationId: acme,
      expiresAt: expect.any(Date),
      reach: { scope: 'organization', permissions: new Set(['apps:read', 'users:read']) },
    })
  })

  it("accepts a team's key, which reaches only that team", async () => {
    const key = await insertApiKey(database, { organizationId: acme, teamId: itTeam, permissions: ['tickets:read'] })
    expect(await authenticate(key.token)).toMatchObject({
      kind: 'TEAM_API_KEY',
      reach: { scope: 'teams', teams: new Map([[itTeam, new Set(['tickets:read'])]]) },
    })
  })

  it('accepts workers with and without a team', async () => {
    const wide = await insertApiKey(database, { organizationId: acme, kind: 'wk' })
    const narrow = await insertApiKey(database, { organizationId: acme, teamId: people, kind: 'wk' })
    expect(await authenticate(wide.token)).toMatchObject({ kind: 'WORKER_TOKEN', reach: { scope: 'organization' } })
    const caller = await callerOf(narrow.token)
    expect(caller).toMatchObject({ kind: 'WORKER_TOKEN', reach: { scope: 'teams' } })
    expect(caller?.reach.scope === 'teams' && [...caller.reach.teams.keys()]).toEqual([people])
  })

  it('gives users the permissions of their roles', async () => {
    const reachOf = async (userId: string, organizationId: string = acme) => {
      const caller = await callerOf(await insertUserToken(database, { userId, organizationId }))
      expect(caller).toMatchObject({ kind: 'USER_TOKEN', id: userId, organizationId, name: userId })
      return caller?.reach
    }
    const all = new Set(permissions)
    const reads = permissions.filter((permission) => permission.endsWith(':read'))
    expect(await reachOf(users.admin)).toEqual({ scope: 'organization', permissions: all })
    expect(await reachOf(users.globexAdmin, globex)).toEqual({ scope: 'organization', permissions: all })
    const inTeams = (...teams: [string, ReadonlySet<string>][]) => ({ scope: 'teams', teams: new Map(teams) })
    expect(await reachOf(users.manager)).toEqual(inTeams([itTeam, all]))
    expect(await reachOf(users.builder)).toEqual(inTeams([itTeam, new Set([...reads, 'access:write', 'apps:write'])]))
    expect(await reachOf(users.agent)).toEqual(inTeams([itTeam, new Set([...reads, 'tickets:write'])]))
    expect(await reachOf(users.contributor)).toEqual(inTeams([itTeam, new Set(reads)]))
    expect(await reachOf(users.viewer)).toEqual(inTeams([itTeam, new Set(reads)]))
    expect(await reachOf(users.guest)).toEqual(inTeams([itTeam, new Set(reads)]))
    expect(await reachOf(users.both)).toEqual(inTeams([itTeam, all], [people, new Set(reads)]))
    expect(await reachOf(users.requester)).toEqual(inTeams())
  })

  it('gives a role in a team until it ends, exactly, and not until it is swept', async () => {
    const token = await insertUserToken(database, { userId: users.requester })
    const teams = async (expiresAt: string) => {
      await database.execute(
        `INSERT INTO team_members (organization_id, team_id, user_id, role, expires_at) VALUES ($1, $2, $3, 'AGENT', ${expiresAt})
         ON CONFLICT (organization_id, team_id, user_id) DO UPDATE SET expires_at = excluded.expires_at`,
        [acme, itTeam, users.requester],
      )
      const caller = await callerOf(token)
      return caller?.reach.scope === 'teams' && [...caller.reach.teams.keys()]
    }
    expect(await teams(`now() + interval '1 minute'`)).toEqual([itTeam])
    // The column would round a time up, to one that is still to come.
    expect(await teams(`date_trunc('milliseconds', now())`)).toEqual([])
    expect(await teams('NULL')).toEqual([itTeam])
    await database.execute('DELETE FROM team_members WHERE user_id = $1', [users.requester])
  })

  it('asks the database once in every call', async () => {
    const [accessToken, userToken] = await newTokens(users.agent)
    let statements = 0
    const counted: Tables = {
      ...database,
      run: (...statement) => {
        statements++
        return database.run(...statement)
      },
    }
    const authenticateCounted = createAuthenticator({ database: counted, hasher, keyUses, bearerTokens })
    for (let call = 0; call < 3; call++) {
      expect(await authenticateCounted(accessToken)).toBeDefined()
      expect(await authenticateCounted(userToken)).toBeDefined()
    }
    expect(statements).toBe(6)
    expect(await authenticateCounted('text that is not a token')).toBeUndefined()
    expect(statements).toBe(6)
  })

  it('looks up concurrent calls in one query, each in its own organization', async () => {
    const [accessToken, userToken] = await newTokens(users.agent)
    const [foreignToken, foreignUserToken] = await newTokens(users.globexAdmin, globex)
    const older = await insertUserToken(database, { userId: users.agent })
    const sent: string[] = []
    const noted: Tables = {
      ...database,
      run: (statement, parameters) => {
        sent.push(statement.name)
        return database.run(statement, parameters)
      },
    }
    const authenticateNoted = createAuthenticator({ database: noted, hasher, keyUses, bearerTokens })
    // What is asked for while two are under way goes together.
    const all = [userToken, userToken, userToken, foreignUserToken, userToken, accessToken, accessToken]
    const callers = await Promise.all([...all, foreignToken, older].map((token) => authenticateNoted(token)))
    expect(callers.map((caller) => caller !== 'expired' && caller?.organizationId)).toEqual([
      acme,
      acme,
      acme,
      globex,
      acme,
      acme,
      acme,
      globex,
      acme,
    ])
    expect(sent.filter((name) => name === 'select_member_of_token').length).toBeGreaterThan(0)
    expect(sent.length).toBeLessThan(callers.length + 2)
  })

  it('refuses a token with a forged organization without a query', async () => {
    const [accessToken, userToken] = await newTokens()
    const unasked: Tables = { ...database, run: () => Promise.reject(new Error('the database was asked')) }
    const authenticateUnasked = createAuthenticator({ database: unasked, hasher, keyUses, bearerTokens })
    for (const token of [accessToken, userToken]) {
      expect(await authenticateUnasked(`${token.slice(0, -3)}AAA`)).toBeUndefined()
      await expect(authenticateUnasked(token)).rejects.toThrow('the database was asked')
    }
  })

  it('refuses tokens that are not its own, including the secrets of keys', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    const directory = await insertApiKey(database, { organizationId: acme, kind: 'mk' })
    const unknown = ['svc_token_', `${key.token}x`, key.token.toUpperCase(), 'svc_user_x', 'a.b.c', '']
    for (const bearer of [...unknown, key.secret, directory.secret]) {
      expect(await authenticate(bearer)).toBeUndefined()
    }
  })

  it('refuses a session of a management key, however it came about', async () => {
    const directory = await insertApiKey(database, { organizationId: acme, kind: 'mk' })
    expect(await authenticate(directory.token)).toBeUndefined()
  })

  it('refuses an expired token and says so to its holder, unless its key or user is gone', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    const userToken = await insertUserToken(database, { userId: users.admin })
    const hashes = [hasher.hash(key.token), hasher.hash(userToken)]
    const expire = (table: string) =>
      database.execute(`UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE token_hash = ANY($1)`, [
        hashes,
      ])
    await expire('api_key_sessions')
    await expire('user_tokens')
    expect([await authenticate(key.token), await authenticate(userToken)]).toEqual(['expired', 'expired'])
    await database.execute(`UPDATE api_keys SET revoked_at = now(), revoked_by = 'OPERATOR' WHERE id = $1`, [key.id])
    await database.execute('UPDATE memberships SET deactivated_at = now() WHERE user_id = $1', [users.admin])
    expect([await authenticate(key.token), await authenticate(userToken)]).toEqual([undefined, undefined])
    await database.execute('UPDATE memberships SET deactivated_at = NULL WHERE user_id = $1', [users.admin])
  })

  it('refuses the tokens of a revoked key and of a deactivated user on their next use', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    const userToken = await insertUserToken(database, { userId: users.viewer })
    expect(await authenticate(key.token)).toBeDefined()
    expect(await authenticate(userToken)).toBeDefined()
    await database.execute(`UPDATE api_keys SET revoked_at = now(), revoked_by = 'OPERATOR' WHERE id = $1`, [key.id])
    await database.execute('UPDATE memberships SET deactivated_at = now() WHERE user_id = $1', [users.viewer])
    expect(await authenticate(key.token)).toBeUndefined()
    expect(await authenticate(userToken)).toBeUndefined()
    await database.execute('UPDATE memberships SET deactivated_at = NULL WHERE user_id = $1', [users.viewer])
  })

  it('stores secrets and tokens only as hashes', async () => {
    const key = await createApiKey({ database, hasher, runtime }, { organizationId: acme })
    const options = { database, hasher, keyUses, bearerTokens, runtime }
    const { token } = await createAccessToken(options, { clientId: key.id, clientSecret: key.secret })
    const { token: userToken } = await createUserToken(options, { userId: users.admin, organizationId: acme })
    for (const table of ['api_keys', 'api_key_sessions', 'user_tokens', 'audit_events']) {
      const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`)
      const text = rows.map(({ row }) => row).join('\n')
      expect(text).not.toBe('')
      for (const secret of [key.secret, token, userToken]) {
        expect(text).not.toContain(secret)
        expect(text).not.toContain(Buffer.from(secret).toString('hex'))
      }
    }
  })

  it('still accepts what was stored before a pepper, and moves a key to the pepper at its next token', async () => {
    const key = await createApiKey({ database, hasher, runtime }, { organizationId: acme })
    const userToken = await insertUserToken(database, { userId: users.admin })
    const peppered = createSecretHasher({ current: 'a pepper of the test' })
    const rotated = createSecretHasher({ current: 'the next pepper', previous: 'a pepper of the test' })
    const forgotten = createSecretHasher({ current: 'the next pepper' })
    for (const next of [peppered, rotated, forgotten]) {
      const options = { database, hasher: next, keyUses, bearerTokens, runtime }
      const { token } = await createAccessToken(options, { clientId: key.id, clientSecret: key.secret })
      const authenticateNext = createAuthenticator({ database, hasher: next, keyUses, bearerTokens })
      expect(await authenticateNext(token)).toMatchObject({ id: key.id })
      expect(await authenticateNext(userToken)).toMatchObject({ id: users.admin })
    }
    const [row] = await database.query('SELECT secret_hash FROM api_keys WHERE id = $1', [key.id])
    expect(row).toEqual({ secret_hash: forgotten.hash(key.secret) })
  })

  describe('user tokens', () => {
    const make = (ttlSeconds?: number, userId: string = users.admin, organizationId: string = acme) =>
      createUserToken({ database, hasher, bearerTokens, runtime }, { userId, organizationId, ttlSeconds })

    it('last 8 hours by default', async () => {
      for (const [given, seconds] of [
        [undefined, 8 * 3_600],
        [MAX_USER_TOKEN_SECONDS, 90 * 86_400],
      ] as const) {
        const { result, isLater } = await timed(() => make(given))
        expect(isLater(result.expiresAt, seconds)).toBe(true)
      }
      expect(await authenticate((await make(60)).token)).toMatchObject({ kind: 'USER_TOKEN', id: users.admin })
    })

    it.each([0, -1, 1.5, Number.NaN, MAX_USER_TOKEN_SECONDS + 1])('cannot last %d seconds', async (ttl) => {
      await expect(make(ttl)).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    })

    it('are created only for active members', async () => {
      await expect(make(60, 'nobody')).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
      await expect(make(60, users.admin, globex)).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
      await database.execute('UPDATE memberships SET deactivated_at = now() WHERE user_id = $1', [users.agent])
      await expect(make(60, users.agent)).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
    })
  })
})
