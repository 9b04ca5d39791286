import type { DescEnum, DescService, FileRegistry, JsonObject } from '@bufbuild/protobuf'
import { type ExampleAnswers, errorStatusSchemas, otherErrors, sharedErrors } from './example-answers.js'
import { bodyExamples, fragments, parameterExamples, placeholderGuide } from './fragments.js'
import { operationFrom, tagOf } from './operation.js'
import { createSchemas, enumSchema, isAnswer, requestChoices } from './schemas.js'
import type { SourceComments } from './source-comments.js'

const description = `Access, workflow and ticketing administration for organizations and their teams.

Callers authenticate with \`Authorization: Bearer <access token>\`. An API key gets its access token from
\`POST /v2/auth/token\`. Every response has an \`X-Request-Id\`.

Responses always include fields without presence, even at their default value. Requests are strict: an unknown field or
parameter is an error; \`null\` means that a field is absent.`

export type OpenApiDocument = ReturnType<typeof openApiDocument>

/**
 * The OpenAPI 3.1 document of the whole API, of a version of the service. Throws if choices or examples name something
 * that does not exist.
 */
export function openApiDocument({
  registry,
  services,
  errorReasons,
  comments,
  version,
  answers,
}: {
  readonly registry: FileRegistry
  readonly services: readonly DescService[]
  readonly errorReasons: DescEnum
  readonly comments: SourceComments
  readonly version: string
  readonly answers: ExampleAnswers
}) {
  checkNames(registry)
  const methods = services.flatMap((service) => service.methods)
  const schemas = createSchemas(
    comments,
    methods.filter(isAnswer).map(({ output }) => output),
  )
  const shared = sharedErrors(answers)
  const paths: { [path: string]: JsonObject } = {}
  for (const method of methods) {
    const found = operationFrom(method, { schemas, comments, answers, sharedErrors: shared })
    if (found !== undefined) paths[found.path] = { ...paths[found.path], [found.httpMethod]: found.operation }
  }
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
    paths,
    components: {
      securitySchemes: fragments.securitySchemes,
      schemas: {
        ...schemas.collected(),
        ...fragments.schemas,
        ...errorStatusSchemas(),
        ErrorReason: enumSchema(errorReasons, comments),
      } as JsonObject,
      parameters: fragments.parameters as JsonObject,
      headers: fragments.headers,
      responses: { Error: otherErrors(answers['default']) } as JsonObject,
      examples: Object.fromEntries([...shared].map(([reason, value]) => [reason, { value }])) as JsonObject,
    },
  }
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
