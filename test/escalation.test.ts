import { type DescField, type DescMessage, fromJson, type JsonObject, toJsonString } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../src/handlers/routes.js'
import { onlyReads } from '../src/limits/method-rules.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './support/fixture.js'
import { callers, type GiftGround, gifts, ofTeamWorkers, ofWorkers, persons, writes } from './support/gifts.js'
import { methodNamed, type RequestJson, restFormOf } from './support/method-forms.js'
import { connectDirectory, type ScimClient, USER } from './support/scim.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, globexIt, it: itTeam, users } = fixture

let service: TestService
let directory: ScimClient
const tokens: Record<string, string> = {}
let serial = 0

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await insertFixture(database)
  const ofKey = async (key: Omit<Parameters<typeof insertApiKey>[1], 'organizationId'>) =>
    (await insertApiKey(database, { organizationId: acme, ...key })).token
  Object.assign(tokens, {
    "the organization's key with everything": await ofKey({}),
    "the organization's key that writes everything": await ofKey({ permissions: writes }),
    "the organization's key that writes users": await ofKey({ permissions: ['users:read', 'users:write'] }),
    "a team's key": await ofKey({ teamId: itTeam }),
    'a worker': await ofKey({ kind: 'wk', permissions: ofWorkers }),
    "a team's worker": await ofKey({ kind: 'wk', teamId: itTeam, permissions: ofTeamWorkers }),
  })
  for (const [name, userId] of Object.entries(persons)) tokens[name] = await insertUserToken(database, { userId })
  directory = await connectDirectory(service)
})
afterAll(() => service.stop())

const rest = (caller: string, name: string, request: RequestJson) => {
  const { verb, path, json } = restFormOf(methodNamed(name), request)
  return service.rest(verb, path, { token: tokens[caller], json })
}
const rpc = async (caller: string, name: string, request: RequestJson, protocol: 'grpc' | 'grpc-web') => {
  const method = methodNamed(name)
  const call: unknown = Reflect.get(service.client(method.parent, tokens[caller], protocol), method.localName)
  if (typeof call !== 'function') throw new Error(`the client has no ${method.localName}`)
  try {
    const message = await call(fromJson(method.input, request as JsonObject))
    return { status: 200, text: toJsonString(method.output, message) }
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error)
    return { status: codeToHttpStatus(code), text: rawMessage }
  }
}
/** Calls over REST, gRPC and gRPC-Web by turns. */
const groundOf = (turn: number): GiftGround => ({
  call: (name, caller, request) => {
    if (turn % 3 === 0) return rest(caller, name, request)
    return rpc(caller, name, request, turn % 3 === 1 ? 'grpc' : 'grpc-web')
  },
  addMember: async () => {
    const id = `somebody-${++serial}`
    await insertUser(service.database, { id, organizationId: acme })
    return id
  },
  addKey: async (key) => (await insertApiKey(service.database, key)).id,
})

/** Everything that gives somebody something. */
const stateOf = () =>
  service.database.query(
    `SELECT (SELECT md5(string_agg(k::text, '|' ORDER BY id)) FROM api_keys k WHERE name = 'Gift' OR rotation > 0) AS keys,
            (SELECT md5(string_agg(concat_ws(' ', m.user_id, m.role, m.email_key), '|' ORDER BY m.user_id))
               FROM memberships m WHERE m.user_id NOT LIKE 'somebody-%' OR m.role = 'ORG_ADMIN') AS members,
            (SELECT md5(string_agg(t::text, '|' ORDER BY t.team_id, t.user_id)) FROM team_members t) AS roles`,
  )

describe('nobody gives more than they have', () => {
  beforeAll(() => insertUser(service.database, { id: 'second-admin', organizationId: acme, role: 'ORG_ADMIN' }))

  it.each(gifts.map((gift, turn) => ({ ...gift, turn })))('not $name', async ({ isAllowed, give, turn }) => {
    for (const [index, caller] of Object.keys(callers).entries()) {
      const before = await stateOf()
      const { status } = await give(caller, groundOf(turn + index))
      if (isAllowed(caller)) expect([caller, status]).toEqual([caller, 200])
      else {
        expect([caller, status === 403 || status === 404]).toEqual([caller, true])
        expect([caller, await stateOf()]).toEqual([caller, before])
      }
    }
  })

  it('by whichever field of a request names roles or permissions', () => {
    const known = gifts.flatMap(({ by }) => (by.includes(' ') ? by : []))
    expect(fieldsThatGive()).toEqual([...new Set(known)].sort())
  })

  it('and the administrator has everything but what is of another organization', () => {
    const refused = gifts.filter(({ isAllowed }) => !isAllowed('the administrator')).map(({ name }) => name)
    expect(refused.filter((name) => !name.includes(globexIt))).toEqual([])
  })

  it.each(Object.entries(persons))('not %s to themselves', async (caller, id) => {
    const before = await stateOf()
    for (const role of ['USER_ROLE_ORG_ADMIN', 'USER_ROLE_ORG_MEMBER', 'USER_ROLE_ORG_GUEST']) {
      const { json } = await rest(caller, 'UpdateUser', { id, role })
      if (json.data === undefined) expect(json.code).toBe('permission_denied')
    }
    expect(await stateOf()).toEqual(before)
  })

  it('not a directory, whatever roles it sends', async () => {
    const roles = [{ value: 'USER_ROLE_ORG_ADMIN', primary: true }]
    const added = await directory.add({ schemas: [USER], userName: 'directory@example.com', roles })
    await directory.patch(`/Users/${added.id}`, { op: 'add', path: 'roles', value: roles })
    await directory.patch(`/Users/${added.id}`, { op: 'replace', value: { roles } })
    const rows = await service.database.query('SELECT role::text FROM memberships WHERE user_id = $1', [added.id])
    expect(rows).toEqual([{ role: 'ORG_MEMBER' }])
  })

  it('not a connected app: profiles have no role', async () => {
    const profile = { externalId: '1', email: `${users.viewer}@example.com`, role: 'USER_ROLE_ORG_ADMIN' }
    const { status } = await rest('a worker', 'IngestUserProfiles', { source: 'hr', profiles: [profile] })
    expect(status).toBe(400)
  })
})

/** What requests of methods that write say of roles and permissions: the method, and the field of a message in them. */
function fieldsThatGive(): string[] {
  const writing = services.flatMap(({ methods }) => methods.filter((method) => !onlyReads(method)))
  return writing
    .flatMap(({ name, input }) =>
      messagesIn(input).flatMap(({ fields, typeName }) =>
        fields.filter(isGiving).map((field) => `${name} ${typeName.replace('svc.v2.', '')}.${field.name}`),
      ),
    )
    .sort()
}

function isGiving(field: DescField): boolean {
  return field.message === undefined && /role|permission/i.test(`${field.name} ${field.enum?.name}`)
}

function messagesIn(desc: DescMessage): DescMessage[] {
  const found = new Set([desc])
  for (const { fields } of found) for (const { message } of fields) if (message !== undefined) found.add(message)
  return [...found]
}
