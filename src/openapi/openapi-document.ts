import type { DescEnum, DescService, FileRegistry, JsonObject } from '@bufbuild/protobuf'
import { type ExampleAnswers, errorStatusSchemas, otherErrors, sharedErrors } from './example-answers.js'
import { bodyExamples, parameterExamples } from './examples.js'
import { fragments, placeholderGuide } from './fragments.js'
import { requestChoices } from './message-choices.js'
import { type Operation, operationFrom, tagOf } from './operation.js'
import { createSchemas, enumSchema } from './schemas.js'
import type { SourceComments } from './source-comments.js'

/** What a document is made from. */
export interface DocumentSource {
  readonly registry: FileRegistry
  readonly services: readonly DescService[]
  readonly errorReasons: DescEnum
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
      license: fragments.license,
    },
    servers: fragments.servers,
    externalDocs: placeholderGuide(),
    tags: services.map((service) => ({ name: tagOf(service), description: comments(service) })),
    paths: pathsFrom(operations),
    components: {
      securitySchemes: fragments.securitySchemes,
      schemas: {
        ...schemas.collected(),
        ...fragments.schemas,
        ...errorStatusSchemas(),
        ErrorReason: enumSchema(source.errorReasons, comments),
      },
      parameters: fragments.parameters,
      headers: fragments.headers,
      responses: { Error: otherErrors(answers['default']) },
      examples: Object.fromEntries([...shared].map(([reason, value]) => [reason, { value }])),
    },
  }
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
