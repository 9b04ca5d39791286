import { createSchemaValidator, type Json, readOpenApi } from './json-schemas.js'

/** A request of a directory, with its path below the protocol, and the response. */
export interface ScimExchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

const document = readOpenApi('scim')
const validate = createSchemaValidator(document)
const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, definition]) => {
    const pattern = new RegExp(`^${path.replace(/[.$]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`, 'i')
    return { method: method.toUpperCase(), pattern, definition, variables: path.split('{').length }
  }),
)
operations.sort((one, other) => one.variables - other.variables)

/** Throws if a response of the protocol differs from the SCIM document. Requests may have the form of any provider. */
export function assertScimContract({ method, path, status, headers, body }: ScimExchange): void {
  const [target = ''] = `/scim/v2${path}`.split('?', 1)
  const operation = operations.find((each) => each.method === method && each.pattern.test(target))
  if (operation === undefined) {
    if (status < 400 && method !== 'HEAD' && method !== 'OPTIONS')
      throw new Error(`${method} ${path} is not documented`)
    return
  }
  const { responses } = operation.definition
  const response = responses[status] ?? (status >= 400 ? responses.default : undefined)
  const fault = response === undefined ? `the status ${status} is not documented` : faultOf(response, headers, body)
  if (fault !== undefined) {
    throw new Error(`${method} ${path} is not what gen/openapi/scim.json says: ${fault}\n${JSON.stringify(body)}`)
  }
}

function faultOf({ headers: documented = {}, content }: Json, headers: Headers, body: Json): string | undefined {
  const missing = Object.entries<Json>(documented).find(([name, header]) => {
    const { required } = header.$ref === undefined ? header : document.components.headers[header.$ref.split('/').at(-1)]
    return required === true && !headers.has(name)
  })
  if (missing !== undefined) return `the header ${missing[0]} is missing`
  if (content === undefined) return body === undefined ? undefined : 'the body is not empty'
  return validate(content['application/scim+json'].schema, body)
}
