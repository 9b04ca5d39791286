import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { accessRulesOf } from '../../src/admission/access-rule.js'
import { type ApiKeyRequest, createApiKey, defaultPermissions, listApiKeys } from '../../src/domain/auth/api-key.js'
import { inspectApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { createAuthenticator } from '../../src/domain/auth/authentication.js'
import { createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createKeyUses } from '../../src/domain/auth/key-use.js'
import { revokeKeyById } from '../../src/domain/auth/revocation.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { type CallerKind, permissions } from '../../src/domain/caller/caller.js'
import { services } from '../../src/handlers/routes.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'
import { timed } from '../support/timed.js'

const runtime = createTestRuntime()
const hasher = createSecretHasher()
const { acme, globex, globexIt, it: itTeam } = fixture

const kinds: readonly CallerKind[] = ['ORGANIZATION_API_KEY', 'TEAM_API_KEY', 'USER_TOKEN', 'WORKER_TOKEN']

describe('API keys', () => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
  })

  afterAll(() => testDatabase.drop())

  const make = (request: Partial<ApiKeyRequest> = {}) =>
    createApiKey({ database, hasher, runtime }, { organizationId: acme, ...request })
  const count = async () => (await database.query('SELECT FROM api_keys')).length
  const eventsOf = (id: string) => database.query('SELECT * FROM audit_events WHERE target_id = $1 ORDER BY id', [id])

  it('are created with a secret of their kind, and an audit event', async () => {
    for (const kind of ['pk', 'wk', 'mk'] as const) {
      const key = await make({ kind, name: `A ${kind}` })
      expect(inspectApiKeySecret(key.secret)).toEqual({ ok: true, kind })
      expect(await eventsOf(key.id)).toEqual([
        expect.objectContaining({ action: 'api_key.create', actor_kind: 'SYSTEM', organization_id: acme }),
      ])
    }
  })

  it('name their organization in their ids, unless a client id of Basic could not', async () => {
    const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
    expect((await make()).id).toMatch(new RegExp(`^${uuid}\\.${acme}$`))
    for (const organizationId of ['with:colon', 'o'.repeat(92)]) {
      await database.execute('INSERT INTO organizations (id, name) VALUES ($1, $1)', [organizationId])
      expect((await make({ organizationId })).id).toMatch(new RegExp(`^${uuid}$`))
    }
  })

  it('have by default the permissions that methods accept from their kind', () => {
    const taken = (kind: CallerKind) => {
      const rules = [...accessRulesOf(services).values()].filter(({ credentialKinds }) =>
        credentialKinds.includes(CredentialKind[kind]),
      )
      return new Set(rules.flatMap(({ permission }) => permission || []))
    }
    const required = new Set(kinds.flatMap((kind) => [...taken(kind)]))
    const expected = (kind: CallerKind) => permissions.filter((each) => taken(kind).has(each))
    const given = (...[kind, isTeamScoped]: Parameters<typeof defaultPermissions>) =>
      defaultPermissions(kind, isTeamScoped).filter((each) => required.has(each))
    expect(given('pk', false)).toEqual(expected('ORGANIZATION_API_KEY'))
    expect(given('pk', true)).toEqual(expected('TEAM_API_KEY'))
    expect(given('wk', false)).toEqual(expected('WORKER_TOKEN'))
    const ofTeamWorkers = defaultPermissions('pk', true).filter((each) => each !== 'audit:read')
    expect(defaultPermissions('wk', true)).toEqual(ofTeamWorkers)
    expect(defaultPermissions('mk', false)).toEqual([])
  })

  it('have the given permissions, without duplicates, in the order of the documentation', async () => {
    const key = await make({ permissions: ['tickets:read', 'apps:read', 'tickets:read'] })
    expect(key.permissions).toEqual(['apps:read', 'tickets:read'])
  })

  it.each<[string, Partial<ApiKeyRequest>, string]>([
    ['an unknown permission', { permissions: ['apps:read', 'apps:delete'] }, 'FIELD_INVALID'],
    ['no permission', { permissions: [] }, 'FIELD_REQUIRED'],
    ['a permission to make keys', { permissions: ['keys:write'] }, 'FIELD_INVALID'],
    ['a permission of a management key', { kind: 'mk', permissions: ['users:read'] }, 'FIELD_INVALID'],
    ['a team of a management key', { kind: 'mk', teamId: itTeam }, 'FIELD_INVALID'],
    ['a name that is too long', { name: 'x'.repeat(256) }, 'FIELD_INVALID'],
    ['a name with a line break', { name: 'a\nb' }, 'FIELD_INVALID'],
    ['an unknown organization', { organizationId: 'nowhere' }, 'RESOURCE_NOT_FOUND'],
    ['an unknown team', { teamId: 'nobody' }, 'RESOURCE_NOT_FOUND'],
    ['a team of another organization', { teamId: globexIt }, 'RESOURCE_NOT_FOUND'],
  ])('are not created with %s', async (_, request, reason) => {
    const before = await count()
    await expect(make(request)).rejects.toMatchObject({ reason })
    expect(await count()).toBe(before)
  })

  it('are listed in order of creation, including revoked ones, without secrets', async () => {
    const first = await make({ organizationId: globex, name: 'First' })
    const second = await make({ organizationId: globex, teamId: globexIt, kind: 'wk', permissions: ['apps:read'] })
    await revokeKeyById({ database, runtime }, first.id)
    expect(await listApiKeys(database, globex)).toEqual([
      {
        id: first.id,
        kind: 'pk',
        organizationId: globex,
        teamId: undefined,
        name: 'First',
        permissions: first.permissions,
        createdAt: expect.any(Date),
        lastUsedAt: undefined,
        revokedAt: expect.any(Date),
      },
      {
        id: second.id,
        kind: 'wk',
        organizationId: globex,
        teamId: globexIt,
        name: '',
        permissions: ['apps:read'],
        createdAt: expect.any(Date),
        lastUsedAt: undefined,
        revokedAt: undefined,
        expiresAt: undefined,
      },
    ])
    await expect(listApiKeys(database, 'nowhere')).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
  })

  it('are revoked by the operator once, with their sessions and one audit event', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    expect(await revokeKeyById({ database, runtime }, key.id)).toEqual([key.id])
    expect(await revokeKeyById({ database, runtime }, key.id)).toEqual([])
    await expect(revokeKeyById({ database, runtime }, 'nothing')).rejects.toMatchObject({
      reason: 'RESOURCE_NOT_FOUND',
    })
    expect(await database.query('SELECT FROM api_key_sessions WHERE api_key_id = $1', [key.id])).toEqual([])
    expect(await database.query('SELECT revoked_by FROM api_keys WHERE id = $1', [key.id])).toEqual([
      { revoked_by: 'OPERATOR' },
    ])
    expect(await eventsOf(key.id)).toEqual([
      expect.objectContaining({ action: 'api_key.revoke', actor_kind: 'SYSTEM', request_id: '' }),
    ])
  })

  describe('record their last use', () => {
    /** Counts what reaches the database. */
    const recorder = (fail: () => boolean = () => false) => {
      const failures: unknown[] = []
      let writes = 0
      const { apiKey } = database.models
      const updateMany: typeof apiKey.updateMany = (...query) => {
        writes++
        if (fail()) throw new Error('the database is gone')
        return apiKey.updateMany(...query)
      }
      const counted = { ...database, models: Object.create(database.models, { apiKey: { value: { updateMany } } }) }
      const log = { warn: ({ err }: { err: unknown }) => failures.push(err) }
      const keyUses = createKeyUses({ database: counted, runtime, log })
      return {
        keyUses,
        failures,
        writes: () => writes,
        authenticate: createAuthenticator({
          database,
          hasher,
          keyUses,
          bearerTokens: createBearerTokens({ database, runtime }),
        }),
      }
    }
    const lastUse = async (id: string) => {
      const { lastUsedAt } = await database.models.apiKey.findFirstOrThrow({
        where: { id },
        select: { lastUsedAt: true },
      })
      return lastUsedAt
    }

    it('to the minute, without a write per call', async () => {
      const key = await insertApiKey(database, { organizationId: acme })
      const { keyUses, authenticate, writes } = recorder()
      expect(await lastUse(key.id)).toBeNull()
      const first = await timed(async () => {
        for (let call = 0; call < 20; call++) {
          await authenticate(key.token)
          await keyUses.flush()
        }
      })
      expect(writes()).toBe(1)
      expect(first.isLater((await lastUse(key.id)) ?? undefined, 0)).toBe(true)
      await database.execute(`UPDATE api_keys SET last_used_at = now() - interval '2 minutes' WHERE id = $1`, [key.id])
      const second = await timed(async () => {
        await authenticate(key.token)
        await keyUses.flush()
      })
      expect(writes()).toBe(2)
      expect(second.isLater((await lastUse(key.id)) ?? undefined, 0)).toBe(true)
    })

    it('despite a database failure, which is logged, not retried on every use, and made up for later', async () => {
      const key = await insertApiKey(database, { organizationId: acme })
      let failing = true
      const { keyUses, failures, writes } = recorder(() => failing)
      const usedAt = Date.now()
      keyUses.note({ organizationId: acme, id: key.id })
      await expect(keyUses.flush()).rejects.toThrow('the database is gone')
      expect(failures).toEqual([new Error('the database is gone')])
      const tried = writes()
      for (let use = 0; use < 3; use++) keyUses.note({ organizationId: acme, id: key.id })
      expect(writes()).toBe(tried)
      failing = false
      await keyUses.flush()
      expect((await lastUse(key.id))?.getTime()).toBeGreaterThanOrEqual(usedAt)
    })
  })
})
