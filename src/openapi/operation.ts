import { type DescField, type DescMethod, getOption, type JsonObject } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { access } from '../../gen/svc/v2/access_pb.js'
import { http_form } from '../../gen/svc/v2/http_form_pb.js'
import { credentialKindTexts } from './credential-kinds.js'
import { errorResponseRefs } from './error-responses.js'
import { bodyExamples, parameterExamples } from './examples.js'
import { isRequired } from './field-schema.js'
import { httpRouteOf } from './http-route.js'
import type { Schemas } from './schemas.js'
import { memberName, type SourceComments } from './source-comments.js'

/** One operation and where it is found. */
export interface Operation {
  readonly httpMethod: string
  readonly path: string
  readonly operation: JsonObject
}

/** What the descriptors do not say of single methods. */
const specialMethods: Readonly<Record<string, { rateLimited?: boolean; checksClient?: boolean }>> = {
  'svc.v2.AuthService.RevokeLeakedKey': { rateLimited: true },
  'svc.v2.AuthService.CreateToken': { checksClient: true },
}

/** The operation of a method with a `google.api.http` rule; undefined for one without. */
export function operationFrom(method: DescMethod, schemas: Schemas, comments: SourceComments): Operation | undefined {
  const route = httpRouteOf(method)
  if (route === undefined) return undefined
  const { path, body } = route
  const pathFields = fieldsInPath(method, path)
  const queryFields = body === '*' ? [] : method.input.fields.filter((field) => !pathFields.has(field))
  const rule = getOption(method, access)
  const special = specialMethods[memberName(method)] ?? {}
  const parameters = [
    ...[...pathFields].map((field) => parameter(field, 'path', schemas)),
    ...queryFields.map((field) => parameter(field, 'query', schemas)),
  ]
  return {
    httpMethod: route.httpMethod,
    path,
    operation: {
      operationId: method.localName,
      tags: [tagOf(method)],
      summary: inWords(method.name),
      description: describe(method, comments),
      security: security(rule.anonymous, special.checksClient === true, rule.permission),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(body === '*' ? { requestBody: requestBody(method, pathFields, schemas) } : {}),
      responses: {
        '200': success(method, schemas, comments),
        ...errorResponseRefs({
          anonymous: rule.anonymous,
          hasBody: body === '*',
          namesResource: method.input.fields.some((field) => /(^|_)id$/.test(field.name)) || hasItemIds(method),
          writes: method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
          checksClient: special.checksClient === true,
          rateLimited: special.rateLimited === true,
        }),
      },
    },
  }
}

/** The tag of a method: its service in words, without `Service`. */
export function tagOf(method: DescMethod): string {
  return inWords(method.parent.name.replace(/Service$/, ''))
}

/** `ListSlaDefinitions` as `List SLA Definitions`. */
export function inWords(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replace(/\bSla\b/, 'SLA')
}

function fieldsInPath(method: DescMethod, path: string): Set<DescField> {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  return new Set(
    names.map((name) => {
      const field = method.input.fields.find((each) => each.name === name)
      if (field === undefined) throw new Error(`${memberName(method)}: {${name}} is no field of its request`)
      return field
    }),
  )
}

function hasItemIds(method: DescMethod): boolean {
  return method.input.fields.some((field) =>
    field.message?.fields.some((each) => each.name === 'id' && isRequired(each)),
  )
}

function parameter(field: DescField, place: 'path' | 'query', schemas: Schemas): JsonObject {
  const { description = '', ...schema } = schemas.field(field)
  const example = parameterExamples[memberName(field)]
  return {
    name: place === 'path' ? field.name : field.jsonName,
    in: place,
    description,
    required: place === 'path' || isRequired(field),
    schema,
    ...(example === undefined ? {} : { example }),
  }
}

function requestBody(method: DescMethod, pathFields: ReadonlySet<DescField>, schemas: Schemas): JsonObject {
  const { ref, required } = schemas.bodyRef(method.input, pathFields)
  const type = getOption(method, http_form).formEncoded ? 'application/x-www-form-urlencoded' : 'application/json'
  const example = bodyExamples[method.input.typeName]
  return { required, content: { [type]: { schema: ref, ...(example === undefined ? {} : { example }) } } }
}

function success(method: DescMethod, schemas: Schemas, comments: SourceComments): JsonObject {
  if (getOption(method, http_form).emptyResponse) return { description: 'Done. The body is empty.' }
  const data = comments(`${method.output.typeName}.data`)
  return {
    description: data === '' ? 'Done.' : data,
    content: { 'application/json': { schema: schemas.messageRef(method.output, 'output') } },
  }
}

function security(anonymous: boolean, checksClient: boolean, permission: string): JsonObject[] {
  if (checksClient) return [{ clientCredentials: [] }, {}]
  return anonymous ? [] : [{ accessToken: permission === '' ? [] : [permission] }]
}

function describe(method: DescMethod, comments: SourceComments): string {
  const rule = getOption(method, access)
  const who = rule.anonymous
    ? 'Needs no access token.'
    : `Needs the permission \`${rule.permission}\`. Takes ${credentialKindTexts(rule.credentialKinds).join(', ')}.`
  return [comments(memberName(method)), who].join('\n\n')
}
