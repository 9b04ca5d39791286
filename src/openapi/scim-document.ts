import type { JsonObject } from '@bufbuild/protobuf'
import { SCIM_PATH } from '../scim/door.js'
import type { ScimRoute } from '../scim/request.js'
import { scimRoutes } from '../scim/routes.js'
import type { ExampleAnswers } from './example-answers.js'
import { fragments, placeholderGuide } from './fragments.js'
import { scimErrors } from './scim-errors.js'
import { type ScimExample, scimExamples } from './scim-examples.js'
import { type ScimOperationText, type ScimSuccess, scimOperationTexts, scimTags } from './scim-operations.js'
import { scimHeaders, scimParameters } from './scim-parameters.js'
import { scimSchemas } from './scim-schemas.js'

const SCIM_TYPE = 'application/scim+json'

const description = `SCIM 2.0 (RFC 7643, RFC 7644), for identity providers that provision the users of an organization.

The provider authenticates with \`Authorization: Bearer <secret of a management key>\`. SCIM accepts no other credential, and
the secret is not accepted anywhere else. Bodies are \`application/scim+json\`; \`application/json\` is accepted too.
Attribute names are case-insensitive, and unknown attributes in bodies are ignored. \`Idempotency-Key\` has no effect:
repeating an identical request writes nothing.`

/** The OpenAPI 3.1 document of SCIM. Throws if an operation has no text or no example. */
export function scimDocument(version: string, answers: ExampleAnswers): JsonObject {
  const paths: { [path: string]: JsonObject } = {}
  for (const route of scimRoutes) {
    const path = `${SCIM_PATH}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, answers) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Directory Sync (SCIM 2.0)', version, description, license: fragments.license },
    servers: fragments.servers,
    externalDocs: placeholderGuide('directory.md'),
    tags: Object.entries(scimTags).map(([name, text]) => ({ name, description: text })),
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
      parameters: sharedParameters(paths),
      headers: scimHeaders,
    },
  }
}

function operation({ operation: name, path }: ScimRoute, answers: ExampleAnswers): JsonObject {
  const [tag = ''] = name.split('/')
  const text = scimOperationTexts[name]
  const example = scimExamples[name]
  if (text === undefined || example === undefined || scimTags[tag] === undefined) {
    throw new Error(`the SCIM operation ${name} has no text, no example or no tag`)
  }
  const { summary, description: what, body, parameters = [] } = text
  const all = [...pathParameters(path, example), ...parameters.map((each) => parameter(each, example))]
  return {
    operationId: scimOperationId(name),
    tags: [tag],
    summary,
    description: what,
    security: [{ managementKey: [] }],
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body === undefined ? {} : { requestBody: { required: true, content: media(body, example.body) } }),
    responses: { ...successes(text, answers[name]?.success), ...scimErrors(answers[name], media) },
  }
}

/** `Users/Get` as `getUser`, `Users/List` as `listUsers`. */
export function scimOperationId(name: string): string {
  const [many = '', verb = ''] = name.split('/')
  const isMany = verb === 'List' || verb === 'Search' || !many.endsWith('s')
  return `${verb.toLowerCase()}${isMany ? many : many.slice(0, -1)}`
}

function pathParameters(path: string, { parameters = {} }: ScimExample): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const description = 'The id of the resource.'
    return {
      name,
      in: 'path',
      description,
      required: true,
      schema: { type: 'string' },
      example: parameters[name] ?? '',
    }
  })
}

/** The parameters that operations refer to. */
function sharedParameters(paths: JsonObject): JsonObject {
  const text = JSON.stringify(paths)
  const used = Object.entries(scimParameters).filter(([name]) => text.includes(`"#/components/parameters/${name}"`))
  return Object.fromEntries(used)
}

/** A reference, or, for an operation with an example of it, the parameter. */
function parameter(name: string, { parameters = {} }: ScimExample): JsonObject {
  const known = scimParameters[name]
  if (known === undefined) throw new Error(`there is no parameter ${name}`)
  const example = parameters[name]
  return example === undefined ? { $ref: `#/components/parameters/${name}` } : { ...known, example }
}

function media(schema: string, example?: JsonObject): JsonObject {
  const content = { schema: { $ref: `#/components/schemas/${schema}` } }
  return { [SCIM_TYPE]: { ...content, ...(example === undefined ? {} : { example }) } }
}

function successes(text: ScimOperationText, example: JsonObject | undefined): JsonObject {
  const { success, projected, headers = [], parameters = [] } = text
  const references = Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  const answer = ({ status, schema, description: what }: ScimSuccess): JsonObject => ({
    [status]: {
      description: what,
      ...(schema === undefined || headers.length === 0 ? {} : { headers: references }),
      ...(schema === undefined ? {} : { content: media(schema, example) }),
    },
  })
  return {
    ...(projected === undefined ? {} : answer(projected)),
    ...answer(success),
    ...(parameters.includes('IfNoneMatch') && {
      '304': {
        description: 'The resource still has one of the tags in `If-None-Match`.',
        headers: { ETag: { $ref: '#/components/headers/ETag' } },
      },
    }),
  }
}
