import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { keyPermissions } from '../src/domain/caller/caller.js'
import { eventually } from './support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'
import { timed } from './support/timed.js'

const { acme, globex, globexIt, it: itTeam, people, users } = fixture
const teamPermissions = keyPermissions.filter((each) => !/^(?:users|ingestion|audit)/.test(each))

let service: TestService
const tokens = { admin: '', manager: '', viewer: '', requester: '' }
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  for (const name of ['admin', 'manager', 'viewer', 'requester'] as const) {
    tokens[name] = await insertUserToken(service.database, { userId: users[name] })
  }
})
afterAll(() => service.stop())
beforeEach(() => service.database.execute('DELETE FROM audit_events'))

const events = () =>
  service.database.query(
    `SELECT action, actor_kind::text AS kind, actor_id AS actor, target_id AS target, team_id AS team
       FROM audit_events ORDER BY id`,
  )
const exchange = async ({ data, secret }: { data: { id: string }; secret: string }) => {
  const form = { grant_type: 'client_credentials', client_id: data.id, client_secret: secret }
  const response = await fetch(`${service.baseUrl}/v2/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, token: /svc_token_[\w-]+/.exec(await response.text())?.[0] ?? '' }
}
const statusWith = async (token: string) =>
  (await service.rest('GET', `/v2/app-instances?teamId=${itTeam}`, { token })).status

describe.each(protocols)('API keys over %s', (protocol) => {
  const call = (
    name: string,
    request: RequestJson,
    as: keyof typeof tokens = 'admin',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> =>
    callMethod(service, formsOf(`${name}ApiKey${name === 'List' ? 's' : ''}`), {
      protocol,
      request,
      token: tokens[as],
      headers,
    })
  const made = async (request: RequestJson = {}, as: keyof typeof tokens = 'admin') => {
    const { status, answer } = await call('Create', { teamId: itTeam, permissions: ['apps:read'], ...request }, as)
    expect(status).toBe(200)
    return answer.json
  }

  it('are created with a secret that works, shown once and not to be cached, and an audit event', async () => {
    const request = { teamId: itTeam, name: 'Nightly', permissions: ['tickets:read', 'apps:read'], lifetimeSeconds: 60 }
    const creation = await timed(() => call('Create', request, 'manager'))
    const { answer } = creation.result
    const { data } = answer.json
    expect(data).toEqual({
      id: expect.any(String),
      teamId: itTeam,
      kind: 'API_KEY_KIND_PK',
      name: 'Nightly',
      permissions: ['apps:read', 'tickets:read'],
      status: 'API_KEY_STATUS_ACTIVE',
      createdAt: expect.any(String),
      createdBy: users.manager,
      createdByUserId: users.manager,
      isCreatorDeactivated: false,
      expiresAt: expect.any(String),
      revokedBy: 'API_KEY_REVOCATION_UNSPECIFIED',
      chainId: data.id,
      rotatedFrom: '',
      rotatedTo: '',
    })
    expect(creation.isLater(data.expiresAt, 60)).toBe(true)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const read = await call('Get', { id: data.id }, 'viewer')
    expect(read.answer.json).toEqual({ data })
    expect(read.answer.headers.get('etag')).toMatch(/^"[\w-]{27}"$/)
    expect((await exchange(answer.json)).status).toBe(200)
    await eventually(async () =>
      expect((await call('Get', { id: data.id })).answer.json.data).toHaveProperty('lastUsedAt'),
    )
    expect(await events()).toEqual([
      { action: 'api_key.create', kind: 'USER', actor: users.manager, target: data.id, team: itTeam },
    ])
  })

  it('are of every kind, for the organization or for a team', async () => {
    const worker = await made({ teamId: '', kind: 'API_KEY_KIND_WK', permissions: ['users:write'] })
    expect(worker.data).toMatchObject({ teamId: '', kind: 'API_KEY_KIND_WK', permissions: ['users:write'] })
    const management = await made({ teamId: '', kind: 'API_KEY_KIND_MK', permissions: [] })
    expect(management.data).toMatchObject({ teamId: '', kind: 'API_KEY_KIND_MK', permissions: [] })
    expect(management.secret).toMatch(/^svc_secret_mk_/)
    const everything = await made({ permissions: teamPermissions }, 'manager')
    expect(everything.data.permissions).toEqual(teamPermissions)
  })

  it('expire when they are to, and like the key that they are made after', async () => {
    const { data } = await made({ lifetimeSeconds: 3_600 })
    const expiresAt = String(data.expiresAt)
    expect((await made({ expiresAt: expiresAt.replace('Z', '+00:00') })).data.expiresAt).toBe(expiresAt)
    const { createdByUserId: _, ...read } = data
    expect((await made(read)).data.expiresAt).toBe(expiresAt)
  })

  it.each<[string, RequestJson, string, string]>([
    ['without permissions', { permissions: [] }, 'FIELD_REQUIRED', 'permissions'],
    ['with an unknown permission', { permissions: ['apps:delete'] }, 'FIELD_INVALID', 'permissions'],
    ['with a permission to make keys', { permissions: ['keys:write'] }, 'FIELD_INVALID', 'permissions'],
    ['of a team with a permission on people', { permissions: ['users:read'] }, 'FIELD_INVALID', 'permissions'],
    ['that is a management key of a team', { kind: 'API_KEY_KIND_MK', permissions: [] }, 'FIELD_INVALID', 'teamId'],
    ['that lasts for ever and a day', { lifetimeSeconds: 315_360_001 }, 'FIELD_INVALID', 'lifetimeSeconds'],
    ['that has expired', { expiresAt: '2020-01-31T00:00:00Z' }, 'FIELD_INVALID', 'expiresAt'],
    ['that expires in a century', { expiresAt: '9999-12-31T00:00:00Z' }, 'FIELD_INVALID', 'expiresAt'],
    ['that expires at a date', { expiresAt: '2027-01-31' }, 'FIELD_INVALID', 'expiresAt'],
    ['that expires twice', { expiresAt: '2027-01-31T00:00:00Z', lifetimeSeconds: 60 }, 'FIELD_INVALID', 'expiresAt'],
    ['with a line break in its name', { name: 'a\nb' }, 'FIELD_INVALID', 'name'],
  ])('are not created %s', async (_, request, reason, field) => {
    const outcome = await call('Create', { teamId: itTeam, permissions: ['apps:read'], ...request })
    expect(outcome).toMatchObject({ status: 400, reason, fields: [field] })
    expect(await events()).toEqual([])
  })

  it('are rotated into a successor of the same access, and the key ends after the overlap', async () => {
    const first = await made({ name: 'Nightly' })
    const { token } = await exchange(first)
    const rotated = await call('Rotate', { id: first.data.id, overlapSeconds: 60 }, 'manager')
    expect(rotated.answer.headers.get('cache-control')).toBe('no-store')
    const second = rotated.answer.json
    const { id, createdBy, createdByUserId, chainId, rotatedFrom, ...same } = second.data
    expect({ createdBy, createdByUserId, chainId, rotatedFrom }).toEqual({
      createdBy: users.manager,
      createdByUserId: users.manager,
      chainId: first.data.id,
      rotatedFrom: first.data.id,
    })
    expect(first.data).toMatchObject({ ...same, createdAt: first.data.createdAt })
    expect((await exchange(second)).status).toBe(200)
    const old = (await call('Get', { id: first.data.id })).answer.json.data
    expect(old).toMatchObject({ status: 'API_KEY_STATUS_ACTIVE', rotatedTo: id, expiresAt: expect.any(String) })
    expect(await statusWith(token)).toBe(200)
    expect(await call('Rotate', { id: first.data.id })).toMatchObject({
      code: 'failed_precondition',
      reason: 'API_KEY_NOT_ROTATABLE',
      metadata: { successorId: id },
    })
    const third = (await call('Rotate', { id, overlapSeconds: 0 })).answer.json
    expect((await call('Get', { id })).answer.json.data).toMatchObject({
      status: 'API_KEY_STATUS_REVOKED',
      revokedBy: 'API_KEY_REVOCATION_ROTATION',
    })
    expect((await exchange(second)).status).toBe(401)
    const byDefault = await timed(() => call('Rotate', { id: third.data.id }))
    const ends = (await call('Get', { id: third.data.id })).answer.json.data.expiresAt
    expect(byDefault.isLater(ends, 86_400)).toBe(true)
    expect((await events()).map(({ action }) => action)).toEqual([
      'api_key.create',
      ...['api_key.rotate', 'api_key.create'],
      ...['api_key.rotate', 'api_key.create', 'api_key.revoke'],
      ...['api_key.rotate', 'api_key.create'],
    ])
  })

  it('are revoked for good, alone or with their chain, and their tokens with them', async () => {
    const first = await made()
    const { token } = await exchange(first)
    const { id } = (await call('Rotate', { id: first.data.id })).answer.json.data
    const revoked = (await call('Revoke', { id: first.data.id }, 'manager')).answer.json.data
    expect(revoked).toMatchObject({ status: 'API_KEY_STATUS_REVOKED', revokedBy: 'API_KEY_REVOCATION_USER' })
    expect([await statusWith(token), (await exchange(first)).status]).toEqual([401, 401])
    expect((await call('Revoke', { id: first.data.id })).answer.json.data).toEqual(revoked)
    expect((await call('Rotate', { id: first.data.id })).reason).toBe('API_KEY_NOT_ROTATABLE')
    expect((await call('Get', { id })).answer.json.data.status).toBe('API_KEY_STATUS_ACTIVE')
    await call('Revoke', { id: first.data.id, chain: true })
    expect((await call('Get', { id })).answer.json.data.status).toBe('API_KEY_STATUS_REVOKED')
    const actions = (await events()).map(({ action }) => action)
    expect(actions.filter((action) => action === 'api_key.revoke')).toHaveLength(2)
  })

  it('are listed page by page in creation order, all of a team or all that the caller may read', async () => {
    const key = await insertApiKey(service.database, { organizationId: acme })
    const hidden = await insertApiKey(service.database, { organizationId: globex })
    const other = await insertApiKey(service.database, { organizationId: acme, teamId: people })
    const last = await made()
    const idsOf = async (as: keyof typeof tokens, filters: RequestJson = {}) => {
      const seen: string[] = []
      let pageToken = ''
      do {
        const { answer } = await call('List', { ...filters, pageSize: 3, pageToken, includeTotal: true }, as)
        seen.push(...answer.json.data.map(({ id }: { id: string }) => id))
        pageToken = answer.json.nextPageToken
        if (pageToken === '') expect(answer.json.totalSize).toBe(seen.length)
      } while (pageToken !== '')
      return seen
    }
    const all = await idsOf('admin')
    expect(all).toEqual(expect.arrayContaining([key.id, other.id]))
    expect([all.at(-1), all.includes(hidden.id)]).toEqual([last.data.id, false])
    for (const ofTeam of [await idsOf('manager'), await idsOf('viewer'), await idsOf('admin', { teamId: itTeam })]) {
      expect(ofTeam.at(-1)).toBe(last.data.id)
      for (const { id } of [key, other, hidden]) expect(ofTeam).not.toContain(id)
    }
    expect((await call('List', {}, 'requester')).reason).toBe('PERMISSION_MISSING')
  })

  it('are found by who created them, who may have left: deactivating somebody says how many work on', async () => {
    const id = `maker-${protocol.replaceAll(/\W/g, '')}`
    await insertUser(service.database, { id, organizationId: acme, role: 'ORG_ADMIN', columns: { first_name: 'Mia' } })
    const token = await insertUserToken(service.database, { userId: id })
    const make = async (name: string) => {
      const json = { name, permissions: ['apps:read'] }
      return (await service.rest('POST', '/v2/api-keys', { token, json })).json.data.id as string
    }
    const [kept, revoked, ended] = [await make('Kept'), await make('Revoked'), await make('Ended')]
    await call('Revoke', { id: revoked })
    await service.database.execute('UPDATE api_keys SET expires_at = now() WHERE id = $1', [ended])
    const namesOf = async (request: RequestJson) => {
      const { data } = (await call('List', request)).answer.json
      return data.map(({ name, isCreatorDeactivated }: Record<string, unknown>) => [name, isCreatorDeactivated])
    }
    const all = (hasLeft: boolean) => [
      ['Kept', hasLeft],
      ['Revoked', hasLeft],
      ['Ended', hasLeft],
    ]
    expect(await namesOf({ createdByUserId: id })).toEqual(all(false))
    expect(await namesOf({ createdByUserId: id, teamId: itTeam })).toEqual([])
    expect(await namesOf({ createdByUserId: 'nobody' })).toEqual([])
    const deactivated = await callMethod(service, formsOf('DeactivateUser'), {
      protocol,
      request: { id },
      token: tokens.admin,
      headers: {},
    })
    expect(deactivated.answer.json).toMatchObject({ data: { id }, activeApiKeyCount: 1 })
    expect(await namesOf({ createdByUserId: id })).toEqual(all(true))
    expect((await call('Get', { id: kept })).answer.json.data).toMatchObject({
      status: 'API_KEY_STATUS_ACTIVE',
      createdByUserId: id,
      isCreatorDeactivated: true,
    })
  })

  it('are the same 404 if they are unknown, of another organization, or of a place that the caller cannot see', async () => {
    const ofGlobex = await insertApiKey(service.database, { organizationId: globex, teamId: globexIt })
    const ofPeople = await insertApiKey(service.database, { organizationId: acme, teamId: people })
    const ofAcme = await insertApiKey(service.database, { organizationId: acme })
    for (const name of ['Get', 'Rotate', 'Revoke']) {
      const { message, metadata } = await call(name, { id: 'nothing' }, 'manager')
      for (const { id } of [ofGlobex, ofPeople, ofAcme]) {
        const outcome = await call(name, { id }, 'manager')
        expect(outcome).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', message })
        expect(outcome.metadata['resourceType']).toBe(metadata['resourceType'])
      }
    }
    for (const teamId of [globexIt, people, 'nowhere']) {
      const outcome = await call('Create', { teamId, permissions: ['apps:read'] }, 'manager')
      expect(outcome.reason).toBe('RESOURCE_NOT_FOUND')
    }
    expect(await events()).toEqual([])
  })

  it('are not written by those who may only read them', async () => {
    const { id } = (await made()).data
    for (const name of ['Rotate', 'Revoke']) {
      expect((await call(name, { id }, 'viewer')).reason).toBe('PERMISSION_MISSING')
    }
    const outcome = await call('Create', { teamId: itTeam, permissions: ['apps:read'] }, 'viewer')
    expect(outcome.reason).toBe('PERMISSION_MISSING')
    expect(await events()).toHaveLength(1)
  })

  it('are created once for an Idempotency-Key, whose replay has the same key without its secret', async () => {
    const { id } = (await made()).data
    for (const [name, request] of [
      ['Create', { teamId: itTeam, permissions: ['apps:read'] }],
      ['Rotate', { id }],
    ] as const) {
      const headers = { 'idempotency-key': `${name}-${protocol}` }
      const first = await call(name, request, 'manager', headers)
      const second = await call(name, request, 'manager', headers)
      const { secret, ...others } = first.answer.json
      expect(secret).toMatch(/^svc_secret_pk_/)
      expect([second.status, second.answer.json]).toEqual([200, others])
      expect(second.answer.headers.get('idempotency-replayed')).toBe('true')
    }
  })
})

it('the migration finds who created keys in the words that were kept', async () => {
  const { database } = service
  const file = '../prisma/migrations/20261129133000_name_the_makers_of_keys/migration.sql'
  const [, update = ''] = /(UPDATE[\s\S]+);/.exec(await readFile(join(import.meta.dirname, file), 'utf8')) ?? []
  const makers = [
    ['by-name', `Mia (of IT) (${users.manager})`, users.manager],
    ['by-id', users.viewer, users.viewer],
    ['by-operator', 'root on db-1 (keys create)', null],
    ['by-nobody', '', null],
    ['by-stranger', `Glob (${fixture.users.globexAdmin})`, null],
  ] as const
  for (const [id, createdBy] of makers) {
    await insertApiKey(database, { organizationId: acme, id })
    await database.execute('UPDATE api_keys SET created_by = $2 WHERE id = $1', [id, createdBy])
  }
  await database.execute(update)
  for (const [id, , userId] of makers) {
    expect(await database.query('SELECT created_by_user_id AS maker FROM api_keys WHERE id = $1', [id])).toEqual([
      { maker: userId },
    ])
  }
})
