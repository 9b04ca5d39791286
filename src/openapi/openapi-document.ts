import type { DescEnum, DescService, FileRegistry, JsonObject } from '@bufbuild/protobuf'
import { license, placeholderGuide, placeholderServers } from './document-frame.js'
import { errorStatusSchemas, otherErrors } from './error-responses.js'
import { errorSchemas } from './error-schemas.js'
import { type ExampleAnswers, sharedErrors } from './example-answers.js'
import { bodyExamples, parameterExamples } from './examples.js'
import { requestChoices } from './message-choices.js'
import { type Operation, operationFrom, tagOf } from './operation.js'
import { headerComponents, parameterComponents } from './operation-headers.js'
import { createSchemas, enumSchema } from './schemas.js'
import type { SourceComments } from './source-comments.js'

/** What a document is made from. */
export interface DocumentSource {
  readonly registry: FileRegistry
  readonly services: readonly DescService[]
  readonly comments: SourceComments
  /** The version of the service. */
  readonly version: string
  readonly answers: ExampleAnswers
}

const description = `Access, workflow and ticketing administration for organizations and their teams.

Callers authenticate with \`Authorization: Bearer <access token>\`. An API key gets its access token from
\`POST /v2/auth/token\`. Every response has an \`X-Request-Id\`.

Responses always include fields without presence, even at their default value. Requests are strict: an unknown field or
parameter is an error; \`null\` means that a field is absent.`

/** The OpenAPI 3.1 document of the whole API. Throws if choices or examples name something that does not exist. */
export function openApiDocument(source: DocumentSource): JsonObject {
  const { services, comments, version, answers } = source
  checkNames(source.registry)
  const methods = services.flatMap((service) => service.methods)
  const schemas = createSchemas(
    comments,
    methods.map((method) => method.output),
  )
  const shared = sharedErrors(answers)
  const operationSource = { schemas, comments, answersOf: (id: string) => answers[id], sharedErrors: shared }
  const operations = methods.flatMap((method) => operationFrom(method, operationSource) ?? [])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Access, Workflow and Ticketing Administration API',
      version,
      description,
      license,
    },
    servers: placeholderServers,
    externalDocs: placeholderGuide(),
    tags: services.flatMap(({ methods: [first], typeName }) =>
      first === undefined ? [] : [{ name: tagOf(first), description: comments(typeName) }],
    ),
    paths: pathsFrom(operations),
    components: {
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The access token of an API key or worker key, or a user token.',
        },
        clientCredentials: {
          type: 'http',
          scheme: 'basic',
          description: 'The id and secret of an API key (RFC 6749, section 2.3.1).',
        },
      },
      schemas: {
        ...schemas.collected(),
        ...errorSchemas,
        ...errorStatusSchemas(),
        ErrorReason: enumSchema(errorReasons(source.registry), comments),
      },
      parameters: parameterComponents,
      headers: headerComponents,
      responses: { Error: otherErrors(answers['default']) },
      examples: Object.fromEntries([...shared].map(([reason, value]) => [reason, { value }])),
    },
  }
}

/** The enum of error reasons of a schema. */
export function errorReasons(registry: FileRegistry): DescEnum {
  const reasons = registry.getEnum('svc.v2.ErrorReason')
  if (reasons === undefined) throw new Error('the schema has no svc.v2.ErrorReason')
  return reasons
}

function pathsFrom(operations: readonly Operation[]): JsonObject {
  const paths: { [path: string]: JsonObject } = {}
  for (const { path, httpMethod, operation } of operations) {
    paths[path] = { ...paths[path], [httpMethod]: operation }
  }
  return paths
}

function checkNames(registry: FileRegistry): void {
  const fields = Object.keys(parameterExamples).filter((name) => {
    const dot = name.lastIndexOf('.')
    const message = registry.getMessage(name.slice(0, dot))
    return message?.fields.every((field) => field.name !== name.slice(dot + 1)) ?? true
  })
  const messages = [...Object.keys(requestChoices), ...Object.keys(bodyExamples)].filter(
    (name) => registry.getMessage(name) === undefined,
  )
  const missing = [...fields, ...messages]
  if (missing.length > 0) throw new Error(`choices or examples name what does not exist: ${missing.join(', ')}`)
}
