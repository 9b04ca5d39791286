import { revokeKeyById } from '../../src/domain/auth/revocation.js'
import { type InsertedApiKey, insertApiKey, insertUserToken } from './fixture.js'
import type { Json } from './json-schemas.js'
import { createTestRuntime } from './runtime.js'
import type { Database } from './sql.js'

const organizationId = 'org_acme'

/** An operation of the document. */
export interface DocumentedOperation {
  readonly id: string
  readonly httpMethod: string
  /** Such as `/v2/users/{id}`. */
  readonly template: string
  readonly definition: Json
  /** The schema of its JSON body, if it has one that is an object. */
  readonly body: Json
}

/** All operations of a document, in its order. */
export function operationsIn({ paths, components }: Json): DocumentedOperation[] {
  return Object.entries<Json>(paths).flatMap(([template, item]) =>
    Object.entries<Json>(item).map(([method, definition]) => {
      const { $ref = '' } = definition.requestBody?.content['application/json']?.schema ?? {}
      const body = components.schemas[$ref.replace(/.*\//, '')]
      return { id: definition.operationId, httpMethod: method.toUpperCase(), template, definition, body }
    }),
  )
}

/** A request of an operation. */
export interface DemoRequest {
  /** The credential in full; undefined without one. */
  readonly authorization: string | undefined
  /** By parameter; an empty one is left out. */
  readonly parameters: Readonly<Record<string, string>>
  readonly content: Content | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** A body and its type. */
export interface Content {
  readonly type: string
  readonly text: string
}

/** The response of an operation; the body is undefined if it is empty. */
export interface DemoAnswer {
  readonly status: number
  readonly body: Json
}

/** Sends a request of an operation to a service. */
export async function sendDemoRequest(
  baseUrl: string,
  { httpMethod, template }: DocumentedOperation,
  { authorization, parameters, content, headers }: DemoRequest,
): Promise<DemoAnswer> {
  const query = new URLSearchParams()
  let path = template
  for (const [name, value] of Object.entries(parameters)) {
    if (template.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(name, value)
  }
  const response = await fetch(`${baseUrl}${path}${query.size > 0 ? `?${query.toString()}` : ''}`, {
    method: httpMethod,
    headers: {
      ...(content === undefined ? {} : { 'content-type': content.type }),
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    },
    body: content?.text ?? null,
  })
  const isStream = response.headers.get('content-type') === 'application/x-ndjson'
  const json = isStream ? await firstLineOf(response) : await response.text()
  return { status: response.status, body: json === '' ? undefined : JSON.parse(json) }
}

/** The first message of a stream, which may have no end. */
async function firstLineOf({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('\n')) break
  }
  return text.slice(0, text.indexOf('\n'))
}

/** A value as a JSON body. */
export function jsonContent(value: unknown): Content {
  return { type: 'application/json', text: JSON.stringify(value) }
}

/** Form fields as a body. */
export function formContent(text: string): Content {
  return { type: 'application/x-www-form-urlencoded', text }
}

/** Who calls the demo organization: those who may do everything, and those who may do nothing. */
export interface DemoCallers {
  readonly administrator: string
  readonly program: InsertedApiKey
  readonly powerless: readonly string[]
}

/** Makes credentials of the demo organization. */
export async function insertDemoCallers(database: Database): Promise<DemoCallers> {
  const powerless = { organizationId, permissions: [] }
  for (const n of [1, 2, 3]) {
    const id = `0198a1c0-7d00-7000-8000-0000000000a${n}`
    await insertApiKey(database, { organizationId, id, teamId: 'team_it', permissions: ['tickets:read'] })
    // The last one is revoked.
    if (n === 3) await revokeKeyById({ database, runtime: createTestRuntime() }, id)
  }
  await insertDemoWebhooks(database)
  // A department that nobody has, and one that somebody has.
  const [unused, used] = ['0198a1c0-7d00-7000-8000-0000000000d1', '0198a1c0-7d00-7000-8000-0000000000d2']
  const archive = { organizationId, id: unused, name: 'Archive', nameKey: 'archive' }
  await database.models.departmentOption.create({ data: archive })
  await database.models.departmentOption.updateMany({ where: { organizationId, name: 'Finance' }, data: { id: used } })
  return {
    administrator: await insertUserToken(database, { userId: 'user_ada', organizationId }),
    program: await insertApiKey(database, { organizationId }),
    powerless: [
      (await insertApiKey(database, powerless)).token,
      (await insertApiKey(database, { ...powerless, teamId: 'team_it' })).token,
      await insertUserToken(database, { userId: 'user_nils', organizationId }),
    ],
  }
}

/** An endpoint of a person who has paused it, one that nobody needs, and an event. */
async function insertDemoWebhooks({ models }: Database): Promise<void> {
  const paused = { status: 'DISABLED', disabledReason: 'REQUEST' } as const
  await models.webhookEndpoint.createMany({
    data: ['siem', 'paused', 'old'].map((name) => ({
      organizationId,
      id: `webhook_${name}`,
      url: `https://${name}.acme.example/`,
      // Beyond every event: nothing is sent.
      position: 1_000_000,
      ...paused,
    })),
  })
  const eventId = '0198a1c0-7d00-7000-8000-000000e10000'
  const target = { action: 'priority.update', targetType: 'priority', targetId: 'pri_urgent', teamId: 'team_it' }
  await models.auditEvent.createMany({ data: [{ organizationId, id: eventId, actorKind: 'SYSTEM', ...target }] })
  await models.eventOutbox.create({
    data: { organizationId, firstEventId: eventId, lastEventId: eventId, eventCount: 1 },
  })
}

/** The request of a reader who fills in the examples and nothing else, with a credential that may do it. */
export function exampleRequest({ definition }: DocumentedOperation, callers: DemoCallers): DemoRequest {
  const { parameters = [], requestBody } = definition
  const given = parameters.filter(({ example }: Json) => example !== undefined)
  const json = requestBody?.content['application/json']?.example
  const form = requestBody?.content['application/x-www-form-urlencoded']?.example
  return {
    authorization: authorizationFor(definition, callers),
    parameters: Object.fromEntries(given.map(({ name, example }: Json) => [name, example])),
    content: json === undefined ? form && formContent(filledForm(form, callers)) : jsonContent(json),
  }
}

/** The example of a form, with the id and the secret of a key that exists. */
function filledForm(form: Json, { program }: DemoCallers): string {
  const key = 'client_id' in form ? { client_id: program.id, client_secret: program.secret } : {}
  return new URLSearchParams({ ...form, ...key }).toString()
}

function authorizationFor(definition: Json, { administrator, program }: DemoCallers): string | undefined {
  const scopes: string[] | undefined = definition.security.find((each: Json) => each.accessToken)?.accessToken
  // A user token reaches what only people may use, a key what only programs may use.
  return scopes && `Bearer ${scopes.includes('ingestion:write') ? program.token : administrator}`
}
