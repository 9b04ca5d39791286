import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonObject } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { BadRequestSchema, ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { HttpFailure, httpStatusFromCode } from '../call/http-failure.js'
import { fieldNames } from '../domain/profile/profile-value.js'
import type { ErrorReason } from '../errors.js'
import { fieldAttributes } from './user-attributes.js'

/** Details of errors (RFC 7644 section 3.12, table 9). */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** An error in the form of SCIM. All of it is public. */
export class ScimError extends HttpFailure {
  readonly scimType: ScimType | undefined
  readonly detail: string

  /** `headers` are further ones of the answer; metrics count it under the code of the error. */
  constructor(
    status: number,
    scimType: ScimType | undefined,
    detail: string,
    headers: OutgoingHttpHeaders = {},
    error: ConnectError = new ConnectError(detail, codes.get(status) ?? Code.InvalidArgument),
  ) {
    super(status, error, headers)
    this.scimType = scimType
    this.detail = detail
  }
}

const codes: ReadonlyMap<number, Code> = new Map([
  [403, Code.PermissionDenied],
  [404, Code.NotFound],
  [409, Code.AlreadyExists],
  [501, Code.Unimplemented],
])

/** The response that reports it (RFC 7644 section 3.12). */
export function errorAnswer({ status, scimType, detail, headers }: ScimError) {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
  const body: JsonObject = { schemas, ...(scimType !== undefined && { scimType }), detail, status: String(status) }
  return { status, body, headers }
}

/** The status and the type for reasons whose code does not say them. */
const answers: Readonly<Partial<Record<ErrorReason, readonly [status: number, scimType?: ScimType]>>> = {
  MALFORMED_REQUEST: [400, 'invalidSyntax'],
  FIELD_REQUIRED: [400, 'invalidValue'],
  FIELD_INVALID: [400, 'invalidValue'],
  EMAIL_TAKEN: [409, 'uniqueness'],
  PHONE_TAKEN: [409, 'uniqueness'],
  EXTERNAL_ID_TAKEN: [409, 'uniqueness'],
  EMAIL_SHARED_BETWEEN_ORGANIZATIONS: [400, 'mutability'],
  MANAGER_IS_SELF: [400, 'invalidValue'],
  MANAGER_CYCLE: [400, 'invalidValue'],
  MANAGER_NOT_FOUND: [400, 'invalidValue'],
  ETAG_MISMATCH: [412],
  // Providers take 409 for a user who exists.
  TRANSACTION_CONFLICT: [503],
}

/** The attributes that show the fields of the API, for faults that name these. */
const attributeNames = new Map([
  ['email', 'emails[type eq "work"].value'],
  ...fieldAttributes.map(({ field, attribute, path }): [string, string] => {
    return [fieldNames[field], attribute.type === 'complex' ? `${path}.value` : path]
  }),
])

/** The error for whatever a call has failed with: of HTTP, or one of the catalogue, as `maskError` gives it. */
export function scimErrorFrom(failure: HttpFailure): ScimError {
  if (failure instanceof ScimError) return failure
  const { error, status } = failure
  // A status that is not the one of the code is that of a failure of HTTP, such as a body that is too large.
  if (status !== httpStatusFromCode(error.code)) {
    return new ScimError(status, undefined, error.rawMessage, failure.headers, error)
  }
  const headers = Object.fromEntries(error.metadata)
  const [badRequest] = error.findDetails(BadRequestSchema)
  const [info] = error.findDetails(ErrorInfoSchema)
  const name = badRequest?.fieldViolations[0]?.reason ?? info?.reason ?? ''
  const reason = name.replace(/^ERROR_REASON_/, '') as ErrorReason
  // Only bodies and headers that cannot be read are refused without a reason.
  if (name === '' && error.code === Code.InvalidArgument) return new ScimError(400, 'invalidSyntax', error.rawMessage)
  const [statusCode, scimType] = answers[reason] ?? [status]
  const retry = statusCode === 503 && headers['retry-after'] === undefined ? { 'retry-after': '1' } : {}
  const detail = badRequest?.fieldViolations
    .map(({ field, description }) => `${attributeNames.get(field) ?? field}: ${description}`)
    .join('; ')
  return new ScimError(statusCode, scimType, detail ?? error.rawMessage, { ...headers, ...retry }, error)
}
