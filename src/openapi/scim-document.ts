import type { JsonObject } from '@bufbuild/protobuf'
import type { ScimRoute } from '../scim/request.js'
import { scimRoutes } from '../scim/routes.js'
import { SCIM_PATH } from '../scim/scim-handler.js'
import type { ExampleAnswers, OperationAnswers } from './example-answers.js'
import { defined, fragments, placeholderGuide, reference, type ScimOperation, scimFragments } from './fragments.js'
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

const managementKey = {
  type: 'http',
  scheme: 'bearer',
  description: 'The secret of a management key (`npx svc keys create --kind mk`).',
}

/** The OpenAPI 3.1 document of SCIM. Throws if an operation has no text. */
export function scimDocument(version: string, answers: ExampleAnswers): JsonObject {
  const paths: { [path: string]: JsonObject } = {}
  for (const route of scimRoutes) {
    const path = `${SCIM_PATH}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, answers) }
  }
  const text = JSON.stringify(paths)
  const used = Object.entries(components).filter(([name]) =>
    text.includes(JSON.stringify(reference('parameters', name))),
  )
  return {
    openapi: '3.1.0',
    info: { title: 'Directory Sync (SCIM 2.0)', version, description, license: fragments.license },
    servers: fragments.servers,
    externalDocs: placeholderGuide('directory.md'),
    tags: Object.entries(scimFragments.tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: { managementKey },
      schemas: scimSchemas(),
      parameters: Object.fromEntries(used),
      headers: scimFragments.headers,
    },
  }
}

function operation({ operation: name, path }: ScimRoute, answers: ExampleAnswers): JsonObject {
  const text = scimFragments.operations[name]
  if (text === undefined) throw new Error(`the SCIM operation ${name} has no text`)
  const { summary, description, body, example } = text
  const parameters = parametersOf(path, text)
  const [many = '', verb = ''] = name.split('/')
  const isMany = verb === 'List' || verb === 'Search' || !many.endsWith('s')
  return {
    // `Users/Get` is `getUser`, `Users/List` is `listUsers`.
    operationId: `${verb.toLowerCase()}${isMany ? many : many.slice(0, -1)}`,
    tags: [many],
    summary,
    description,
    security: [{ managementKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: media(body, { example: example?.body }) } }),
    responses: { ...successes(text, answers[name]?.success), ...errors(answers[name]) },
  }
}

/** The parameter of the path, and the others: references, or, with an example, the parameters themselves. */
function parametersOf(path: string, { parameters = [], example }: ScimOperation): JsonObject[] {
  const examples = example?.parameters ?? {}
  const description = 'The id of the resource.'
  const id = { name: 'id', in: 'path', description, required: true, schema: { type: 'string' } }
  return [
    ...(path.endsWith('/{id}') ? [{ ...id, example: examples['id'] ?? '' }] : []),
    ...parameters.flat().map((name) => {
      const given = examples[name]
      return given === undefined ? reference('parameters', name) : { ...components[name], example: given }
    }),
  ]
}

/** Examples lack the attribute `$ref` of SCIM, which many tools that read OpenAPI take for a reference of their own. */
function media(schema: string, examples: Readonly<Record<string, JsonObject | undefined>>): JsonObject {
  const plain = JSON.parse(JSON.stringify(defined(examples)), (name, value) => (name === '$ref' ? undefined : value))
  return { 'application/scim+json': { schema: reference('schemas', schema), ...plain } }
}

function successes(text: ScimOperation, example: JsonObject | undefined): JsonObject {
  const { status, schema, response = text.description, otherwise, headers = [], parameters = [] } = text
  const sent = headers.map((name) => [name, reference('headers', name)])
  const known = {
    description: 'The resource still has one of the tags in `If-None-Match`.',
    headers: { ETag: reference('headers', 'ETag') },
  }
  return {
    [status]: {
      description: response,
      ...(headers.length > 0 && { headers: Object.fromEntries(sent) }),
      ...(schema !== undefined && { content: media(schema, { example }) }),
    },
    ...(otherwise !== undefined && { '204': { description: otherwise } }),
    ...(parameters.includes('IfNoneMatch') && { '304': known }),
  }
}

function errors(answers: OperationAnswers | undefined): JsonObject {
  const responses = Object.entries(answers?.errors ?? {}).map(([status, byType]) => {
    const description = scimFragments.errors[status]
    if (description === undefined) throw new Error(`the SCIM document has no response for errors with status ${status}`)
    const headers = fragments.errorStatuses[status]?.headers
    const examples = Object.fromEntries(Object.entries(byType).map(([type, value]) => [type, { value }]))
    return [status, defined({ description, headers, content: media('Error', { examples }) })]
  })
  return {
    ...Object.fromEntries(responses),
    default: { description: 'Any other failure.', content: media('Error', {}) },
  }
}
