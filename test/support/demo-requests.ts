import type { Database } from '../../src/db/database.js'
import { type InsertedApiKey, insertApiKey, insertUserToken } from './fixture.js'
import type { Json } from './json-schemas.js'

const organizationId = 'org_acme'

/** An operation of the document. */
export interface DocumentedOperation {
  readonly id: string
  readonly httpMethod: string
  /** Such as `/v2/users/{id}`. */
  readonly template: string
  readonly definition: Json
}

/** All operations of a document, in its order. */
export function operationsIn({ paths }: Json): DocumentedOperation[] {
  return Object.entries<Json>(paths).flatMap(([template, item]) =>
    Object.entries<Json>(item).map(([method, definition]) => {
      return { id: definition.operationId, httpMethod: method.toUpperCase(), template, definition }
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
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
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

/** The request of a reader who fills in the examples and nothing else, with a credential that may do it. */
export function exampleRequest({ id, definition }: DocumentedOperation, callers: DemoCallers): DemoRequest {
  const { parameters = [], requestBody } = definition
  const given = parameters.filter(({ example }: Json) => example !== undefined)
  const json = requestBody?.content['application/json']?.example
  const form = requestBody?.content['application/x-www-form-urlencoded']?.example
  return {
    authorization: authorizationFor(id, definition, callers),
    parameters: Object.fromEntries(given.map(({ name, example }: Json) => [name, example])),
    content: json === undefined ? form && formContent(new URLSearchParams(form).toString()) : jsonContent(json),
  }
}

function authorizationFor(id: string, definition: Json, { administrator, program }: DemoCallers): string | undefined {
  if (id === 'createToken') return `Basic ${Buffer.from(`${program.id}:${program.secret}`).toString('base64')}`
  const scopes: string[] | undefined = definition.security.find((each: Json) => each.accessToken)?.accessToken
  // A user token reaches what only people may use, a key what only programs may use.
  return scopes && `Bearer ${scopes.includes('ingestion:write') ? program.token : administrator}`
}
