import {
  type DescField,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type JsonObject,
} from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { http } from '../../gen/google/api/annotations_pb.js'
import { access, CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { http_form } from '../../gen/svc/v2/http_form_pb.js'
import { errorResponses, type OperationAnswers } from './example-answers.js'
import { bodyExamples, parameterExamples } from './examples.js'
import { defaultValue, isRequired } from './field-limits.js'
import { defined } from './fragments.js'
import type { Schemas } from './schemas.js'
import { memberName, type SourceComments } from './source-comments.js'

/** One operation and where it is found. */
export interface Operation {
  readonly httpMethod: string
  readonly path: string
  readonly operation: JsonObject
}

/** What the operations of a document are made with. */
export interface OperationSource {
  readonly schemas: Schemas
  readonly comments: SourceComments
  /** What the service has answered to an operation. */
  readonly answersOf: (operationId: string) => OperationAnswers | undefined
  /** Bodies of errors that are in one place of the document, by reason. */
  readonly sharedErrors: ReadonlyMap<string, JsonObject>
}

/** The method that is called with the id and the secret of a key instead of a token. */
const CREATE_TOKEN = 'svc.v2.AuthService.CreateToken'

const clientCredentialsGrant = {
  description: 'The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).',
  url: 'https://www.rfc-editor.org/rfc/rfc6749#section-4.4',
}

/** The operation of a method with a `google.api.http` rule; undefined for one without. */
export function operationFrom(method: DescMethod, source: OperationSource): Operation | undefined {
  const { schemas, comments } = source
  const answers = source.answersOf(method.localName)
  const route = httpRouteOf(method)
  if (route === undefined) return undefined
  const { path, body } = route
  const pathFields = fieldsInPath(method, path)
  const queryFields = body === '*' ? [] : method.input.fields.filter((field) => !pathFields.has(field))
  const rule = getOption(method, access)
  const checksClient = memberName(method) === CREATE_TOKEN
  const parameters = [
    ...[...pathFields].map((field) => parameter(field, 'path', schemas)),
    ...queryFields.map((field) => parameter(field, 'query', schemas)),
    ...headerParameters(method),
  ]
  return {
    httpMethod: route.httpMethod,
    path,
    operation: defined({
      operationId: method.localName,
      tags: [tagOf(method.parent)],
      summary: inWords(method.name),
      description: describe(method, comments),
      security: security(rule.anonymous, checksClient, rule.permission),
      parameters: parameters.length > 0 ? parameters : undefined,
      requestBody: body === '*' ? requestBody(method, pathFields, schemas) : undefined,
      responses: {
        '200': success(method, source, answers?.success),
        ...notModified(method),
        ...errorResponses(answers, source.sharedErrors),
      },
      externalDocs: checksClient ? clientCredentialsGrant : undefined,
    }),
  }
}

/** The tag of the methods of a service: its name in words, without `Service`. */
export function tagOf({ name }: DescService): string {
  return inWords(name.replace(/Service$/, ''))
}

/** `ListSlaDefinitions` as `List SLA Definitions`. */
export function inWords(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replace(/\bSla\b/, 'SLA')
}

function fieldsInPath(method: DescMethod, path: string): Set<DescField> {
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  return new Set(
    names.map((name) => {
      const field = method.input.fields.find((each) => each.name === name)
      if (field === undefined) throw new Error(`${memberName(method)}: {${name}} is not a field of its request`)
      return field
    }),
  )
}

function parameter(field: DescField, place: 'path' | 'query', schemas: Schemas): JsonObject {
  const { description = '', ...schema } = schemas.field(field)
  return defined({
    name: place === 'path' ? field.name : field.jsonName,
    in: place,
    description,
    required: place === 'path' || isRequired(field),
    schema: { ...schema, ...defaultValue(field) },
    example: parameterExamples[memberName(field)],
  })
}

function requestBody(method: DescMethod, pathFields: ReadonlySet<DescField>, schemas: Schemas): JsonObject {
  const isForm = getOption(method, http_form).formEncoded
  const { ref, required } = schemas.bodyRef(method.input, pathFields, isForm)
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const media = defined({ schema: ref, example: bodyExamples[method.input.typeName] })
  return { required, content: { [type]: media } }
}

function success(
  method: DescMethod,
  { schemas, comments }: OperationSource,
  example: JsonObject | undefined,
): JsonObject {
  if (getOption(method, http_form).emptyResponse) return { description: 'Done. The body is empty.' }
  const data = method.output.field['data']
  const schema = schemas.messageRef(method.output, 'output')
  return defined({
    description: (data && comments(data)) || 'Done.',
    headers: headersOfAnswers(method),
    content: { 'application/json': defined({ schema, example }) },
  })
}

function security(anonymous: boolean, checksClient: boolean, permission: string): JsonObject[] {
  if (checksClient) return [{ clientCredentials: [] }, {}]
  return anonymous ? [] : [{ accessToken: permission === '' ? [] : [permission] }]
}

function describe(method: DescMethod, comments: SourceComments): string {
  const rule = getOption(method, access)
  const kinds = [...credentialKinds].flatMap(([kind, text]) => (rule.credentialKinds.includes(kind) ? [text] : []))
  const who = rule.anonymous
    ? 'Needs no access token.'
    : `Requires the permission \`${rule.permission}\`. Accepts ${kinds.join(', ')}.`
  return [comments(method), who].join('\n\n')
}

/** The kinds of credential in the order of documents, in words. */
export const credentialKinds: ReadonlyMap<CredentialKind, string> = new Map([
  [CredentialKind.ORGANIZATION_API_KEY, 'organization API keys'],
  [CredentialKind.TEAM_API_KEY, 'team API keys'],
  [CredentialKind.USER_TOKEN, 'user tokens'],
  [CredentialKind.WORKER_TOKEN, 'worker tokens'],
])

/** The REST route of a method. */
export interface HttpRoute {
  /** In lower case, as OpenAPI spells it. */
  readonly httpMethod: string
  readonly path: string
  /** `*` or empty. */
  readonly body: string
}

/** The `google.api.http` rule of a method; undefined without one. Throws for what this API does not use. */
export function httpRouteOf(method: DescMethod): HttpRoute | undefined {
  if (!hasOption(method, http)) return undefined
  const { pattern, body, additionalBindings, responseBody } = getOption(method, http)
  const plain = (body === '' || body === '*') && responseBody === '' && additionalBindings.length === 0
  if (!plain || pattern.case === undefined || pattern.case === 'custom' || pattern.value.includes('=')) {
    throw new Error(`the http rule of ${method.parent.typeName}.${method.name} has no place in the documents`)
  }
  return { httpMethod: pattern.case, path: pattern.value, body }
}

/** The headers that a method accepts, as references. */
function headerParameters(method: DescMethod): JsonObject[] {
  const { entityTag, ifMatch } = getOption(method, http_form)
  return [
    ...(takesIdempotencyKey(method) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(ifMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(entityTag && onlyReads(method) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
}

/** The headers of its responses, as references; undefined if there are only those that every response has. */
function headersOfAnswers(method: DescMethod): JsonObject | undefined {
  const headers = defined({
    ETag: getOption(method, http_form).entityTag ? { $ref: '#/components/headers/ETag' } : undefined,
    'Idempotency-Replayed': takesIdempotencyKey(method)
      ? { $ref: '#/components/headers/IdempotencyReplayed' }
      : undefined,
  })
  return Object.keys(headers).length === 0 ? undefined : headers
}

/** The 304 response of a method that supports `If-None-Match`; empty for the others. */
function notModified(method: DescMethod): JsonObject {
  if (!getOption(method, http_form).entityTag || !onlyReads(method)) return {}
  const headers = { ETag: { $ref: '#/components/headers/ETag' } }
  return { '304': { description: 'The object still has one of the tags in `If-None-Match`.', headers } }
}

function onlyReads({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
}

function takesIdempotencyKey(method: DescMethod): boolean {
  return !onlyReads(method) && !getOption(method, access).anonymous
}
