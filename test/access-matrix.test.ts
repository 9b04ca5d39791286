import { type DescMethod, type DescMethodUnary, getOption } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { http } from '../gen/google/api/annotations_pb.js'
import { ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.js'
import { type CallerKind, type Permission, permissions } from '../src/domain/caller/caller.js'
import { services } from '../src/handlers/routes.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { type RestAnswer, startTestService, type TestService } from './support/service.js'
import { methodsOf, standardSamples } from './support/standard-resources.js'

type Row = readonly [method: string, permission: Permission, refusedKinds: readonly CallerKind[]]

/** Who may call what (docs/permissions.md). */
const matrix: readonly Row[] = [
  ['CreateAccessPolicyApprovalProcedure', 'access:write', []],
  ['BatchUpdateAppResources', 'apps:write', []],
  ['ListAppInstances', 'apps:read', []],
  ['GetJourney', 'tickets:read', []],
  ['ListEntityIngestionConfigs', 'entities:read', []],
  ['ListEntityFieldMappings', 'entities:read', []],
  ['ListSlaDefinitions', 'tickets:read', []],
  ['ArchiveSlaDefinition', 'tickets:write', []],
  ['UnarchiveSlaDefinition', 'tickets:write', []],
  ['GetUser', 'users:read', ['team_api_key']],
  ['ListUsers', 'users:read', ['team_api_key']],
  ['ListDepartmentOptions', 'users:read', ['team_api_key']],
  ['GetUserRelationship', 'users:read', ['team_api_key']],
  ['CreateUser', 'users:write', ['team_api_key']],
  ['UpdateUser', 'users:write', ['team_api_key']],
  ['CreateUserRelationship', 'users:write', ['team_api_key']],
  ['DeleteUserRelationship', 'users:write', ['team_api_key']],
  ['IngestUserProfiles', 'ingestion:write', ['team_api_key', 'user']],
  ['RepublishUser', 'ingestion:write', ['team_api_key', 'user']],
  ['ListAuditEvents', 'audit:read', ['team_api_key', 'worker']],
  ...standardSamples.flatMap((sample) =>
    methodsOf(sample).map(([verb, name]): Row => {
      if (verb === 'Get' || verb === 'List') return [name, `${sample.permissions}:read`, []]
      const noWriters = ['organization_api_key', 'team_api_key', 'worker'] as const
      return [name, `${sample.permissions}:write`, sample.writtenByUsersOnly ? noWriters : []]
    }),
  ),
]

/** Methods where a user without the permission may be admitted by what the request names. */
const judgedByResource: readonly string[] = ['GetJourney', 'UpdateUser']

const kinds: readonly CallerKind[] = ['organization_api_key', 'team_api_key', 'user', 'worker']

describe('the access matrix', () => {
  let service: TestService
  let transport: Transport
  const tokens = new Map<string, string>()

  beforeAll(async () => {
    service = await startTestService()
    transport = createConnectTransport({ baseUrl: service.baseUrl, httpVersion: '1.1' })
    const { database: sql } = service
    await insertFixture(sql)
    const organizationId = fixture.acme
    for (const permission of ['all', ...permissions]) {
      const granted = permissions.filter((each) => each !== permission)
      const key = { organizationId, permissions: granted }
      tokens.set(`organization_api_key without ${permission}`, (await insertApiKey(sql, key)).token)
      tokens.set(`team_api_key without ${permission}`, (await insertApiKey(sql, { ...key, teamId: fixture.it })).token)
      tokens.set(`worker without ${permission}`, (await insertApiKey(sql, { ...key, kind: 'wk' })).token)
    }
    tokens.set('user with all', await insertUserToken(sql, { userId: fixture.users.admin }))
    tokens.set('user with nothing', await insertUserToken(sql, { userId: fixture.users.requester }))
  })
  afterAll(() => service.stop())

  const withEverything = (kind: CallerKind) => tokens.get(kind === 'user' ? 'user with all' : `${kind} without all`)
  const withoutPermission = (kind: CallerKind, permission: Permission) =>
    tokens.get(kind === 'user' ? 'user with nothing' : `${kind} without ${permission}`)

  it('covers every method that requires a credential', () => {
    const all = services.flatMap(({ methods }) => methods).map(({ name }) => name)
    const anonymous = ['RevokeLeakedKey', 'CreateToken']
    expect(matrix.map(([name]) => name).toSorted()).toEqual(all.filter((name) => !anonymous.includes(name)).toSorted())
  })

  describe.each(matrix)('%s', (name, permission, refusedKinds) => {
    const method = methodOf(name)
    /** The HTTP status, the code and the reason over REST, and that Connect says the same. */
    const outcomeOf = async (token: string | undefined): Promise<readonly [number, string, string | undefined]> => {
      const answer = await callRest(service, method, token)
      const error = await callConnect(transport, method, token)
      if (answer.status < 300) {
        expect(error).toBeUndefined()
        return [answer.status, 'ok', undefined]
      }
      expect(Code[error?.code ?? 0]?.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase()).toBe(answer.json.code)
      expect(error?.findDetails(ErrorInfoSchema)[0]?.reason).toBe(answer.json.detail?.debug?.reason)
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
      it(`admits a ${kind} with ${permission}`, async () => {
        const { status } = await callRest(service, method, withEverything(kind))
        expect([401, 403, 500, 501]).not.toContain(status)
      })

      it(`refuses a ${kind} without ${permission}`, async () => {
        const [status, , reason] = await outcomeOf(withoutPermission(kind, permission))
        if (kind === 'user' && judgedByResource.includes(name)) expect([400, 404]).toContain(status)
        else expect([status, reason]).toEqual([403, 'ERROR_REASON_PERMISSION_MISSING'])
      })
    }
  })
})

function methodOf(name: string): DescMethodUnary {
  const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === 'unary'
  const methods = services.flatMap((service) => service.methods).filter(isUnary)
  const method = methods.find((each) => each.name === name)
  if (method === undefined) throw new Error(`there is no unary method ${name}`)
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

async function callConnect(
  transport: Transport,
  method: DescMethodUnary,
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
    await transport.unary(method, undefined, undefined, header, message)
    return undefined
  } catch (error) {
    return ConnectError.from(error)
  }
}
