import type { JsonObject } from '@bufbuild/protobuf'
import { SCIM_PATH } from '../scim/door.js'
import type { ScimRoute } from '../scim/request.js'
import { scimRoutes } from '../scim/routes.js'
import type { ExampleAnswers, OperationAnswers } from './example-answers.js'
import { fragments, placeholderGuide } from './fragments.js'
import { type ScimOperation, scimFragments } from './scim-fragments.js'
import { scimSchemas } from './scim-schemas.js'

const description = `SCIM 2.0 (RFC 7643, RFC 7644), for identity providers that provision the users of an organization.

The provider authenticates with \`Authorization: Bearer <secret of a management key>\`. SCIM accepts no other credential, and
the secret is not accepted anywhere else. Bodies are \`application/scim+json\`; \`application/json\` is accepted too.
Attribute names are case-insensitive, and unknown attributes in bodies are ignored. \`Idempotency-Key\` has no effect:
repeating an identical request writes nothing.`

const components: Readonly<Record<string, JsonObject>> = {
  ...scimFragments.parameters,
  IfMatch: { ...fragments.parameters.IfMatch, description: scimFragments.ifMatch },
  IfNoneMatch: fragments.parameters.IfNoneMatch,
}

/** The OpenAPI 3.1 document of SCIM. Throws if an operation has no text. */
export function scimDocument(version: string, answers: ExampleAnswers): JsonObject {
  const paths: { [path: string]: JsonObject } = {}
  for (const route of scimRoutes) {
    const path = `${SCIM_PATH}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, answers) }
  }
  const text = JSON.stringify(paths)
  const used = Object.entries(components).filter(([name]) => text.includes(`"#/components/parameters/${name}"`))
  return {
    openapi: '3.1.0',
    info: { title: 'Directory Sync (SCIM 2.0)', version, description, license: fragments.license },
    servers: fragments.servers,
    externalDocs: placeholderGuide('directory.md'),
    tags: Object.entries(scimFragments.tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: {
        managementKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The secret of a management key (`npx svc keys create --kind mk`).',
        },
      },
      schemas: scimSchemas(),
      parameters: Object.fromEntries(used),
      headers: scimFragments.headers,
    },
  }
}

function operation({ operation: name, path }: ScimRoute, answers: ExampleAnswers): JsonObject {
  const text = scimFragments.operations[name]
  if (text === undefined) throw new Error(`the SCIM operation ${name} has no text`)
  const { summary, body, example } = text
  const parameters = parametersOf(path, text)
  return {
    operationId: operationId(name),
    tags: [name.replace(/\/.*/, '')],
    summary,
    description: text.description,
    security: [{ managementKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: media(body, { example: example?.body }) } }),
    responses: { ...successes(text, answers[name]?.success), ...errors(answers[name]) },
  }
}

/** `Users/Get` as `getUser`, `Users/List` as `listUsers`. */
function operationId(name: string): string {
  const [many = '', verb = ''] = name.split('/')
  const isMany = verb === 'List' || verb === 'Search' || !many.endsWith('s')
  return `${verb.toLowerCase()}${isMany ? many : many.slice(0, -1)}`
}

/** The parameter of the path, and the others: references, or, with an example, the parameters themselves. */
function parametersOf(path: string, { parameters = [], example }: ScimOperation): JsonObject[] {
  const examples = example?.parameters ?? {}
  const description = 'The id of the resource.'
  const schema = { type: 'string' }
  return [
    ...(path.endsWith('/{id}')
      ? [{ name: 'id', in: 'path', description, required: true, schema, example: examples['id'] ?? '' }]
      : []),
    ...parameters.flat().map((name) => {
      const given = examples[name]
      return given === undefined ? reference('parameters', name) : { ...components[name], example: given }
    }),
  ]
}

function reference(kind: string, name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}

function media(schema: string, given: { example?: JsonObject | undefined; examples?: JsonObject }): JsonObject {
  const { example, examples } = given
  return {
    'application/scim+json': {
      schema: reference('schemas', schema),
      ...(example !== undefined && { example }),
      ...(examples !== undefined && { examples }),
    },
  }
}

function successes(text: ScimOperation, example: JsonObject | undefined): JsonObject {
  const { status, schema, response = text.description, otherwise, headers = [], parameters = [] } = text
  const sent = Object.fromEntries(headers.map((name) => [name, reference('headers', name)]))
  return {
    [status]: {
      description: response,
      ...(headers.length > 0 && { headers: sent }),
      ...(schema !== undefined && { content: media(schema, { example }) }),
    },
    ...(otherwise !== undefined && { '204': { description: otherwise } }),
    ...(parameters.includes('IfNoneMatch') && {
      '304': {
        description: 'The resource still has one of the tags in `If-None-Match`.',
        headers: { ETag: reference('headers', 'ETag') },
      },
    }),
  }
}

const { challenge, retryAfter } = fragments
const errorHeaders: Readonly<Record<string, JsonObject>> = {
  '401': { 'WWW-Authenticate': { ...challenge, required: true } },
  '403': { 'WWW-Authenticate': challenge },
  '503': { 'Retry-After': retryAfter },
}

/** The error responses of an operation, as recorded from the service; the default covers all others. */
function errors(answers: OperationAnswers | undefined): JsonObject {
  const responses = Object.entries(answers?.errors ?? {}).map(([status, byType]): [string, JsonObject] => {
    const what = scimFragments.errors[status]
    if (what === undefined) throw new Error(`the SCIM document has no response for errors with status ${status}`)
    const examples = Object.fromEntries(Object.entries(byType).map(([type, value]) => [type, { value }]))
    const headers = errorHeaders[status]
    return [
      status,
      { description: what, ...(headers !== undefined && { headers }), content: media('Error', { examples }) },
    ]
  })
  return {
    ...Object.fromEntries(responses),
    default: { description: 'Any other failure.', content: media('Error', {}) },
  }
}
