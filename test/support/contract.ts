import { type DescMethod, fromJson, getOption, type JsonValue, toJson } from '@bufbuild/protobuf'
import { http } from '../../gen/google/api/annotations_pb.js'
import { http_form } from '../../gen/svc/v2/http_form_pb.js'
import { services } from '../../src/handlers/routes.js'
import { outputOnlyNames } from '../../src/limits/output-only.js'
import { createSchemaValidator, type Json, readOpenApi } from './json-schemas.js'

/** A request over plain HTTP and its response. */
export interface Exchange {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly contentType: string | null
  readonly body: string | Uint8Array | null
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Operation {
  readonly httpMethod: string
  readonly pattern: RegExp
  readonly pathNames: readonly string[]
  /** How much of the path is literal: if two match, the longer one is meant. */
  readonly literal: number
  readonly definition: Json
}

const document = readOpenApi()
// The document itself is validated by test/openapi/openapi.test.ts.
const validate = createSchemaValidator(document, { validateSchema: false })
const operations = operationsOf(document)
/** Statuses that an operation documents itself must be documented by it: the default is only for general failures. */
const statusesOfOperations = new Set(operations.flatMap(({ definition }) => Object.keys(definition.responses)))
const methods = new Map(services.flatMap((service) => service.methods.map((method) => [method.localName, method])))

/**
 * Throws if an exchange differs from the OpenAPI document: in the response, or in a successful request. Paths
 * outside the API, and HEAD and OPTIONS, are not in the document.
 */
export function assertContract(exchange: Exchange): void {
  const [path = '', query = ''] = exchange.path.split('?', 2)
  if (!path.startsWith('/v2/') || path.includes('openapi.') || /^(HEAD|OPTIONS)$/.test(exchange.method)) return
  const faults = faultsOf(exchange, path, new URLSearchParams(query))
  if (faults.length === 0) return
  const summary = `${exchange.method} ${exchange.path} → ${exchange.status}`
  const bodies = `request: ${String(exchange.body)}\nanswer: ${exchange.text}`
  throw new Error(`${summary} is not what gen/openapi/openapi.json says:\n${faults.join('\n')}\n${bodies}`)
}

function faultsOf(exchange: Exchange, path: string, query: URLSearchParams): string[] {
  const onPath = operations.filter(({ pattern }) => pattern.test(path))
  const operation = onPath.find(({ httpMethod }) => httpMethod === exchange.method)
  if (operation === undefined) {
    const expected = onPath.length > 0 ? 405 : 404
    const status = exchange.status === expected ? [] : [`an operation that is not there answers ${expected}`]
    return [...status, ...bodyFaults({ $ref: '#/components/responses/Error' }, exchange)]
  }
  const { responses } = operation.definition
  // A body where the operation has none may still be too large, or in an unreadable format.
  const isOfNoBody = operation.definition.requestBody === undefined && [413, 415].includes(exchange.status)
  const isOther = exchange.status >= 400 && (isOfNoBody || !statusesOfOperations.has(String(exchange.status)))
  const response = responses[exchange.status] ?? (isOther ? responses.default : undefined)
  if (response === undefined) return [`the status ${exchange.status} is not documented`]
  const faults = bodyFaults(response, exchange)
  if (exchange.status >= 400) return faults
  return [...faults, ...parameterFaults(operation, path, query), ...requestFaults(operation, exchange)]
}

function bodyFaults(reference: Json, { headers, text }: Exchange): string[] {
  const response = resolve(reference)
  const missing = Object.entries<Json>(response.headers ?? {}).filter(
    ([name, header]) => header.required === true && !headers.has(name),
  )
  const faults = missing.map(([name]) => `the header ${name} is missing`)
  if (response.content === undefined) return text === '' ? faults : [...faults, 'the body is not empty']
  const type = mediaType(headers.get('content-type'))
  const media = response.content[type]
  if (media === undefined) return [...faults, `the content type ${type} is not documented`]
  const messages = type === 'application/x-ndjson' ? text.trimEnd().split('\n') : [text]
  const invalid = messages.flatMap((message) => validate(media.schema, JSON.parse(message)) ?? [])
  return [...faults, ...invalid.map((fault) => `the answer: ${fault}`)]
}

function parameterFaults(operation: Operation, path: string, query: URLSearchParams): string[] {
  const parameters: Json[] = operation.definition.parameters ?? []
  const captures = operation.pattern.exec(path)?.slice(1) ?? []
  const given = [
    ...operation.pathNames.map((name, i) => ({ in: 'path', name, text: decodeURIComponent(captures[i] ?? '') })),
    // The name in the schema is accepted as well as the documented one.
    ...[...query].map(([name, text]) => ({ in: 'query', name: camelCase(name), text })),
  ]
  const missing = parameters.filter((each) => each.required && !given.some(({ name }) => name === each.name))
  return [
    ...missing.map(({ name }) => `the parameter ${name} is missing`),
    ...given.flatMap(({ in: place, name, text }) => {
      const parameter = parameters.find((each) => each.in === place && each.name === name)
      if (parameter === undefined) return [`the ${place} parameter ${name} is not documented`]
      const schema = resolve(parameter.schema)
      // Of a parameter that may be repeated, each value is one of the list's.
      const value =
        schema.type === 'array' ? [parameterValue(text, resolve(schema.items))] : parameterValue(text, schema)
      const fault = validate(parameter.schema, value)
      return fault === undefined ? [] : [`the parameter ${name}: ${fault}`]
    }),
  ]
}

function requestFaults({ definition, pathNames }: Operation, { body, contentType }: Exchange): string[] {
  const { requestBody } = definition
  if (body === null || body.length === 0) return requestBody?.required === true ? ['the body is missing'] : []
  if (requestBody === undefined) return ['a body is not documented']
  const type = mediaType(contentType)
  const media = requestBody.content[type]
  if (media === undefined) return [`the content type ${type} of the request is not documented`]
  // A compressed body is not checked.
  if (typeof body !== 'string' || type === 'application/x-ndjson') return []
  const given = type === 'application/json' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
  const value = withoutEchoes(definition.operationId, given, pathNames.map(camelCase))
  const fault = validate(media.schema, value) && validate(media.schema, canonical(definition.operationId, value))
  const isRefusedApart = judgedApart.get(definition.operationId)
  const lines = fault?.split('\n').filter((line) => isRefusedApart?.test(line) !== true) ?? []
  return lines.map((line) => `the request: ${line}`)
}

/** Faults of items that a call refuses each by itself, and not as a whole. */
const judgedApart: ReadonlyMap<string, RegExp> = new Map([['ingestUserProfiles', /^value\/profiles\/\d+[ /]/]])

/** A request without what it may repeat of the path, and without output-only fields. */
function withoutEchoes(operationId: string, value: JsonValue, pathNames: readonly string[]): JsonValue {
  const method = methods.get(operationId)
  if (method === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const isIgnored = outputOnlyNames(method)
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !pathNames.includes(name) && !isIgnored(method.input, name)),
  )
}

/** Requests may spell a value in any way of the proto JSON mapping; the document has the canonical one. */
function canonical(operationId: string, value: JsonValue): JsonValue {
  const method: DescMethod | undefined = methods.get(operationId)
  if (method === undefined) throw new Error(`${operationId} is no method`)
  // Forms may have fields that are ignored.
  const { ignoreUnknownFields } = getOption(method, http_form)
  const field = method.input.fields.find(({ name }) => name === getOption(method, http).body)
  const message = fromJson(method.input, field === undefined ? value : { [field.jsonName]: value }, {
    ignoreUnknownFields,
  })
  const json = toJson(method.input, message)
  return field === undefined ? json : (Object(json)[field.jsonName] ?? [])
}

function operationsOf({ paths }: Json): Operation[] {
  const found = Object.entries<Json>(paths).flatMap(([path, item]) => {
    const literals = path.split(/\{[^}]*\}/)
    const pattern = new RegExp(`^${literals.map((text) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&')).join('([^/]+)')}$`)
    const pathNames = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
    return Object.entries<Json>(item).map(([httpMethod, definition]) => ({
      httpMethod: httpMethod.toUpperCase(),
      pattern,
      pathNames,
      definition,
      literal: literals.join('').length,
    }))
  })
  return found.sort((a, b) => b.literal - a.literal)
}

function resolve(schema: Json): Json {
  const pointer: string | undefined = schema.$ref
  if (pointer === undefined) return schema
  return pointer
    .slice('#/'.length)
    .split('/')
    .reduce((part, key) => part[key], document)
}

function parameterValue(text: string, schema: Json): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  // Enums may be given by number; the document has the names.
  if (schema.enum !== undefined && /^\d+$/.test(text)) return schema.enum[Number(text)]
  return text
}

function mediaType(header: string | null): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
