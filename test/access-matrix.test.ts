import { type DescMethod, type DescMethodServerStreaming, type DescMethodUnary, getOption } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { http } from '../gen/google/api/annotations_pb.js'
import { ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.js'
import { type CallerKind, keyPermissions, type Permission } from '../src/domain/caller/caller.js'
import { services } from '../src/handlers/routes.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { type RestAnswer, startTestService, type TestService } from './support/service.js'
import { methodsOf, standardSamples } from './support/standard-resources.js'

/** What a caller needs: a permission, every one of them, or none. */
type Need = Permission | 'every permission' | 'no permission'

type Row = readonly [method: string, needed: Need, refusedKinds: readonly CallerKind[]]

const noKeys: readonly CallerKind[] = ['ORGANIZATION_API_KEY', 'TEAM_API_KEY', 'WORKER_TOKEN']

/** Who may call what (docs/permissions.md). */
const matrix: readonly Row[] = [
  ['BatchCreateAppResources', 'apps:write', []],
  ['BatchUpdateAppResources', 'apps:write', []],
  ['ListAppInstances', 'apps:read', []],
  ['ListAppInstanceShares', 'apps:read', []],
  ['ShareAppInstance', 'apps:write', []],
  ['UnshareAppInstance', 'apps:write', []],
  ['GetJourney', 'tickets:read', []],
  ['ListJourneys', 'tickets:read', []],
  ['ListEntityIngestionConfigs', 'entities:read', []],
  ['ListEntityFieldMappings', 'entities:read', []],
  ['ListSlaDefinitions', 'tickets:read', []],
  ['ArchiveSlaDefinition', 'tickets:write', []],
  ['UnarchiveSlaDefinition', 'tickets:write', []],
  ...['GetTeam', 'ListTeams'].map((name): Row => [name, 'teams:read', []]),
  ['CreateTeam', 'teams:write', ['TEAM_API_KEY']],
  ['UpdateTeam', 'teams:write', []],
  ['DeleteTeam', 'teams:write', []],
  ...['GetGroup', 'ListGroups', 'ListGroupMembers', 'ListUserGroups'].map(
    (name): Row => [name, 'users:read', ['TEAM_API_KEY']],
  ),
  ...['CreateGroup', 'UpdateGroup', 'DeleteGroup', 'AddGroupMember', 'RemoveGroupMember'].map(
    (name): Row => [name, 'users:write', ['TEAM_API_KEY']],
  ),
  ['GetTeamMember', 'teams:read', []],
  ['ListTeamMembers', 'teams:read', []],
  ['ListUserTeams', 'teams:read', []],
  ['SetTeamMember', 'teams:write', []],
  ['RemoveTeamMember', 'teams:write', []],
  ['ListUserSessions', 'users:read', ['TEAM_API_KEY']],
  ['GetUser', 'users:read', ['TEAM_API_KEY']],
  ['ListUsers', 'users:read', ['TEAM_API_KEY']],
  ['ListDepartmentOptions', 'users:read', ['TEAM_API_KEY']],
  ['GetUserRelationship', 'users:read', ['TEAM_API_KEY']],
  ['DeleteDepartmentOption', 'users:write', ['TEAM_API_KEY']],
  ['CreateUser', 'users:write', ['TEAM_API_KEY']],
  ['UpdateUser', 'users:write', ['TEAM_API_KEY']],
  ['BatchUpdateUsers', 'users:write', ['TEAM_API_KEY']],
  ['DeactivateUser', 'users:write', ['TEAM_API_KEY']],
  ['ReactivateUser', 'users:write', ['TEAM_API_KEY']],
  ['EndUserSessions', 'users:write', ['TEAM_API_KEY']],
  ['CreateUserRelationship', 'users:write', ['TEAM_API_KEY']],
  ['DeleteUserRelationship', 'users:write', ['TEAM_API_KEY']],
  ['IngestUserProfiles', 'ingestion:write', ['TEAM_API_KEY', 'USER_TOKEN']],
  ['RepublishUser', 'ingestion:write', ['TEAM_API_KEY', 'USER_TOKEN']],
  ['ListAuditEvents', 'audit:read', ['TEAM_API_KEY', 'WORKER_TOKEN']],
  ['ListEvents', 'audit:read', ['WORKER_TOKEN']],
  ['WatchEvents', 'audit:read', ['WORKER_TOKEN']],
  ['ListAuditActions', 'audit:read', ['TEAM_API_KEY', 'WORKER_TOKEN']],
  ['GetCaller', 'no permission', []],
  ['ListNames', 'no permission', []],
  ['GetDirectoryStatus', 'every permission', ['TEAM_API_KEY', 'WORKER_TOKEN']],
  ['GetOrganization', 'no permission', []],
  ['UpdateOrganization', 'every permission', ['TEAM_API_KEY', 'WORKER_TOKEN']],
  ['GetApiKey', 'keys:read', noKeys],
  ['ListApiKeys', 'keys:read', noKeys],
  ['CreateApiKey', 'keys:write', noKeys],
  ['RotateApiKey', 'keys:write', noKeys],
  ['RevokeApiKey', 'keys:write', noKeys],
  ['ListWebhookDeliveries', 'webhooks:read', []],
  ['DisableWebhookEndpoint', 'webhooks:write', []],
  // What an endpoint is sent, no worker may read.
  ...['RotateWebhookEndpointSecret', 'EnableWebhookEndpoint', 'TestWebhookEndpoint', 'RecoverWebhookEndpoint'].map(
    (name): Row => [name, 'webhooks:write', ['WORKER_TOKEN']],
  ),
  ...['ReplayWebhookEndpoint', 'ResendWebhookDelivery'].map((name): Row => [name, 'webhooks:write', ['WORKER_TOKEN']]),
  // A key needs every permission for writing.
  ['ImportRecords', 'teams:write', ['TEAM_API_KEY', 'WORKER_TOKEN']],
  ['ExportRecords', 'every permission', ['TEAM_API_KEY', 'WORKER_TOKEN']],
  ...standardSamples.flatMap((sample) =>
    methodsOf(sample).map(([verb, name]): Row => {
      if (verb === 'Get' || verb === 'List') return [name, `${sample.permissions}:read`, []]
      const isSent = ['CreateWebhookEndpoint', 'UpdateWebhookEndpoint'].includes(name)
      const refused: readonly CallerKind[] = isSent ? ['WORKER_TOKEN'] : sample.writtenByUsersOnly ? noKeys : []
      return [name, `${sample.permissions}:write`, refused]
    }),
  ),
]

/** Methods that admit a user without the permission to some resources, and the status if there is none of them. */
const judgedByResource: Readonly<Record<string, number>> = { GetJourney: 404, ListJourneys: 200 }

const kinds: readonly CallerKind[] = ['ORGANIZATION_API_KEY', 'TEAM_API_KEY', 'USER_TOKEN', 'WORKER_TOKEN']

describe('the access matrix', () => {
  let service: TestService
  let transports: readonly Transport[]
  const tokens = new Map<string, string>()

  beforeAll(async () => {
    service = await startTestService({ config: { maxCallSeconds: 3 } })
    const { baseUrl } = service
    transports = [
      createConnectTransport({ baseUrl, httpVersion: '1.1' }),
      createGrpcTransport({ baseUrl }),
      createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    ]
    const { database: sql } = service
    await insertFixture(sql)
    const organizationId = fixture.acme
    for (const permission of ['all', ...keyPermissions]) {
      const granted = keyPermissions.filter((each) => each !== permission)
      const key = { organizationId, permissions: granted }
      tokens.set(`ORGANIZATION_API_KEY without ${permission}`, (await insertApiKey(sql, key)).token)
      tokens.set(`TEAM_API_KEY without ${permission}`, (await insertApiKey(sql, { ...key, teamId: fixture.it })).token)
      tokens.set(`WORKER_TOKEN without ${permission}`, (await insertApiKey(sql, { ...key, kind: 'wk' })).token)
    }
    tokens.set('user with all', await insertUserToken(sql, { userId: fixture.users.admin }))
    tokens.set('user with nothing', await insertUserToken(sql, { userId: fixture.users.requester }))
  })
  afterAll(() => service.stop())

  const withEverything = (kind: CallerKind) =>
    tokens.get(kind === 'USER_TOKEN' ? 'user with all' : `${kind} without all`)
  const withoutNeeded = (kind: CallerKind, needed: Need) => {
    const missing = needed === 'every permission' ? 'audit:read' : needed
    return tokens.get(kind === 'USER_TOKEN' ? 'user with nothing' : `${kind} without ${missing}`)
  }

  it('covers every method that requires a credential', () => {
    const all = services.flatMap(({ methods }) => methods).map(({ name }) => name)
    const anonymous = ['RevokeLeakedKey', 'CreateToken']
    expect(matrix.map(([name]) => name).toSorted()).toEqual(all.filter((name) => !anonymous.includes(name)).toSorted())
  })

  describe.each(matrix)('%s', (name, needed, refusedKinds) => {
    const method = methodOf(name)
    /** The HTTP status, the code and the reason over REST, and that the RPC protocols say the same. */
    const outcomeOf = async (token: string | undefined): Promise<readonly [number, string, string | undefined]> => {
      const answer = await callRest(service, method, token)
      const errors = await Promise.all(transports.map((transport) => callRpc(transport, method, token)))
      if (answer.status < 300) {
        expect(errors).toEqual([undefined, undefined, undefined])
        return [answer.status, 'ok', undefined]
      }
      for (const error of errors) {
        expect(Code[error?.code ?? 0]?.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase()).toBe(answer.json.code)
        expect(error?.findDetails(ErrorInfoSchema)[0]?.reason).toBe(answer.json.detail?.debug?.reason)
      }
      return [answer.status, answer.json.code, answer.json.detail?.debug?.reason]
    }

    it('refuses a caller without a credential', async () => {
      expect(await outcomeOf(undefined)).toEqual([401, 'unauthenticated', 'ERROR_REASON_CREDENTIAL_MISSING'])
    })

    it('refuses an unknown credential', async () => {
      const refused = [401, 'unauthenticated', 'ERROR_REASON_CREDENTIAL_INVALID']
      expect(await outcomeOf('svc_token_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toEqual(refused)
      expect(await outcomeOf('a.b.c')).toEqual(refused)
    })

    for (const kind of kinds.filter((each) => refusedKinds.includes(each))) {
      it(`refuses a ${kind}, whatever its permissions`, async () => {
        const refused = [403, 'permission_denied', 'ERROR_REASON_CREDENTIAL_KIND_UNSUPPORTED']
        expect(await outcomeOf(withEverything(kind))).toEqual(refused)
      })
    }

    for (const kind of kinds.filter((each) => !refusedKinds.includes(each))) {
      it(`admits a ${kind} with ${needed}`, async () => {
        const isNobody = needed === 'no permission' && kind === 'USER_TOKEN'
        const token = isNobody ? tokens.get('user with nothing') : withEverything(kind)
        const { status } = await callRest(service, method, token)
        expect([401, 403, 500, 501]).not.toContain(status)
      })

      if (needed === 'no permission') continue
      it(`refuses a ${kind} without ${needed}`, async () => {
        const [status, , reason] = await outcomeOf(withoutNeeded(kind, needed))
        if (kind === 'USER_TOKEN' && name in judgedByResource) expect(status).toBe(judgedByResource[name])
        else expect([status, reason]).toEqual([403, 'ERROR_REASON_PERMISSION_MISSING'])
      })
    }
  })
})

type Method = DescMethodUnary | DescMethodServerStreaming

function methodOf(name: string): Method {
  const answersOne = (each: DescMethod): each is Method => ['unary', 'server_streaming'].includes(each.methodKind)
  const methods = services.flatMap((service) => service.methods).filter(answersOne)
  const method = methods.find((each) => each.name === name)
  if (method === undefined) throw new Error(`there is no method ${name} of one request`)
  return method
}

/** Calls the method with ids that nothing has and without a body. */
function callRest(service: TestService, method: DescMethod, token: string | undefined): Promise<RestAnswer> {
  const { pattern } = getOption(method, http)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no plain route`)
  const path = pattern.value.replaceAll(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000')
  const hasBody = !['get', 'delete'].includes(pattern.case)
  return service.rest(pattern.case.toUpperCase(), path, { token, ...(hasBody && { json: {} }) })
}

async function callRpc(
  transport: Transport,
  method: Method,
  token: string | undefined,
): Promise<ConnectError | undefined> {
  const header = token === undefined ? undefined : { authorization: `Bearer ${token}` }
  const idFields = ['id', 'userId', 'teamId', 'accessPolicyId']
  const message = Object.fromEntries(
    method.input.fields
      .filter(({ localName }) => idFields.includes(localName) && method.name !== 'ListAppInstances')
      .map(({ localName }) => [localName, '00000000-0000-7000-8000-000000000000']),
  )
  try {
    if (method.methodKind === 'unary') await transport.unary(method, undefined, undefined, header, message)
    else await readAll((await transport.stream(method, undefined, undefined, header, once(message))).message)
    return undefined
  } catch (error) {
    return ConnectError.from(error)
  }
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value
}

async function readAll(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}
