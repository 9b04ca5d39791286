import {
  type DescField,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf'
import { http } from '../../gen/google/api/annotations_pb.js'
import { type AccessRule, Callers } from '../../gen/svc/v2/access_pb.js'
import { limit } from '../../gen/svc/v2/limit_pb.js'
import { accessRuleOf, credentialNames, httpFormOf, onlyReads, takesIdempotencyKey } from '../limits/method-rules.js'
import { type ExampleAnswers, errorResponses } from './example-answers.js'
import { isRequired } from './field-limits.js'
import { bodyExamples, defined, parameterExamples, reference } from './fragments.js'
import { isAnswer, type Schemas } from './schemas.js'
import { memberName, type SourceComments } from './source-comments.js'

interface OperationSource {
  readonly schemas: Schemas
  readonly comments: SourceComments
  readonly answers: ExampleAnswers
  /** Bodies of errors that are in one place of the document, by reason. */
  readonly sharedErrors: ReadonlyMap<string, JsonObject>
}

/**
 * The method that takes the id and the secret of a key instead of a token. The document declares them only as fields of
 * its form, not as a security scheme: clients would use an alternative scheme for every operation.
 */
const CREATE_TOKEN = 'svc.v2.AuthService.CreateToken'

const clientCredentialsGrant = {
  description: 'The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).',
  url: 'https://www.rfc-editor.org/rfc/rfc6749#section-4.4',
}

/** The operation of a method with a `google.api.http` rule, and where it is found; undefined for one without. */
export function operationFrom(method: DescMethod, source: OperationSource) {
  const route = httpRouteOf(method)
  if (route === undefined) return undefined
  const { schemas, comments, answers, sharedErrors } = source
  const { httpMethod, path, body } = route
  const rule = accessRuleOf(method)
  const { anonymous, permission } = rule
  const { entityTag, ifMatch, eventId } = httpFormOf(method)
  const takesKey = takesIdempotencyKey(method)
  const checksClient = memberName(method) === CREATE_TOKEN
  const pathFields = fieldsInPath(method, path)
  const queryFields =
    body === '*' ? [] : method.input.fields.filter((field) => !pathFields.has(field) && field.name !== body)
  const parameters = [
    ...[...pathFields].map((field) => parameter(field, 'path', schemas)),
    ...queryFields.map((field) => parameter(field, 'query', schemas)),
    ...(takesKey ? [reference('parameters', 'IdempotencyKey')] : []),
    ...(ifMatch ? [reference('parameters', 'IfMatch')] : []),
    ...(entityTag && onlyReads(method) ? [reference('parameters', 'IfNoneMatch')] : []),
    ...(eventId === '' ? [] : [reference('parameters', 'LastEventId')]),
  ]
  const tagHeader = { ETag: reference('headers', 'ETag') }
  const headers = {
    ...(entityTag && tagHeader),
    ...(takesKey && { 'Idempotency-Replayed': reference('headers', 'IdempotencyReplayed') }),
  }
  const known = { description: 'The object still has one of the tags in `If-None-Match`.', headers: tagHeader }
  const kinds = [...credentialNames].flatMap(([kind, text]) => (rule.credentialKinds.includes(kind) ? [text] : []))
  const who = anonymous ? 'Needs no access token.' : `${requirementOf(rule)} Accepts ${kinds.join(', ')}.`
  const token = anonymous ? [] : [{ accessToken: permission === '' ? [] : [permission] }]
  const answered = answers[method.localName]
  return {
    httpMethod,
    path,
    operation: defined({
      operationId: method.localName,
      tags: [tagOf(method.parent)],
      summary: inWords(method.name),
      description: [comments(method), who].join('\n\n'),
      security: token,
      parameters: parameters.length > 0 ? parameters : undefined,
      requestBody: bodyOf(method, body, pathFields, schemas),
      responses: {
        '200': success(method, source, headers, answered?.success),
        ...(entityTag && onlyReads(method) && { '304': known }),
        ...errorResponses(answered, sharedErrors),
      },
      externalDocs: checksClient ? clientCredentialsGrant : undefined,
    }),
  }
}

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
    // Generators treat a field of a body that has a default as always present.
    schema: defined({ ...schema, default: getOption(field, limit).zeroIs || undefined }),
    example: parameterExamples[memberName(field)],
  })
}

function bodyOf(
  method: DescMethod,
  body: string,
  pathFields: ReadonlySet<DescField>,
  schemas: Schemas,
): JsonObject | undefined {
  if (body === '*') return requestBody(method, pathFields, schemas)
  const field = method.input.fields.find(({ name }) => name === body)
  return field === undefined ? undefined : listBody(field, bodyExamples[method.input.typeName]?.[body], schemas)
}

/** A list as the body: in JSON, or its items on a line each. */
function listBody(field: DescField, example: JsonValue | undefined, schemas: Schemas): JsonObject {
  const { description = '', ...schema } = schemas.field(field)
  const items = Array.isArray(example) ? example : []
  return {
    description,
    required: isRequired(field),
    content: {
      'application/json': defined({ schema, example }),
      'application/x-ndjson': {
        schema: { type: 'string', description: 'The items of the list, in JSON, on a line each.' },
        example: items.map((item) => `${JSON.stringify(item)}\n`).join(''),
      },
    },
  }
}

function requestBody(method: DescMethod, pathFields: ReadonlySet<DescField>, schemas: Schemas): JsonObject {
  const isForm = httpFormOf(method).formEncoded
  const { ref, required } = schemas.bodyRef(method.input, pathFields, isForm)
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  return { required, content: { [type]: defined({ schema: ref, example: bodyExamples[method.input.typeName] }) } }
}

/** A stream that a browser's `EventSource` reads; the schema of the lines gives the form of its messages. */
const eventStream = {
  schema: {
    type: 'string',
    description: 'Server-Sent Events: the `data` of each is one of the JSON documents, its `id` where to continue.',
  },
}

function success(
  method: DescMethod,
  { schemas, comments }: OperationSource,
  headers: JsonObject,
  example: JsonObject | undefined,
): JsonObject {
  if (httpFormOf(method).emptyResponse) return { description: 'Done. The body is empty.' }
  const data = method.output.field['data']
  // A record is to be sent back: without computed fields, and as strict as what callers send.
  const schema = schemas.messageRef(method.output, isAnswer(method) ? 'output' : 'input')
  const type = method.methodKind === 'unary' ? 'application/json' : 'application/x-ndjson'
  return defined({
    description: (data && comments(data)) || 'Done.',
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    content: {
      [type]: defined({ schema, example }),
      ...(httpFormOf(method).eventId !== '' && { 'text/event-stream': eventStream }),
    },
  })
}

function requirementOf({ callers, permission }: AccessRule): string {
  if (callers === Callers.ALL) return 'Requires no permission.'
  if (callers === Callers.ADMINISTRATORS) return 'Requires an administrator, or every permission.'
  if (callers === Callers.WRITERS) return 'Requires an administrator, or every write permission.'
  return `Requires the permission \`${permission}\`.`
}

/**
 * The `google.api.http` rule of a method, with the verb in lower case and as its body `*`, a list of the request or
 * nothing; undefined without one. Throws for what this API does not use.
 */
export function httpRouteOf(method: DescMethod) {
  if (!hasOption(method, http)) return undefined
  const { pattern, body, additionalBindings, responseBody } = getOption(method, http)
  const lists = method.input.fields.filter(({ fieldKind }) => fieldKind === 'list')
  const isBody = body === '' || body === '*' || lists.some(({ name }) => name === body)
  const plain = isBody && responseBody === '' && additionalBindings.length === 0
  if (!plain || pattern.case === undefined || pattern.case === 'custom' || pattern.value.includes('=')) {
    throw new Error(`the http rule of ${memberName(method)} has no place in the documents`)
  }
  return { httpMethod: pattern.case, path: pattern.value, body }
}
