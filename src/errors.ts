/**
 * Why a call fails, and its Connect code: the values of `svc.v2.ErrorReason` without their prefix. The enum gives the
 * meaning of each, and an example.
 */
export const errorCodes = {
  MALFORMED_REQUEST: 'invalid_argument',
  FIELD_REQUIRED: 'invalid_argument',
  FIELD_INVALID: 'invalid_argument',
  CREDENTIAL_MISSING: 'unauthenticated',
  CREDENTIAL_INVALID: 'unauthenticated',
  CREDENTIAL_KIND_UNSUPPORTED: 'permission_denied',
  PERMISSION_MISSING: 'permission_denied',
  RESOURCE_NOT_FOUND: 'not_found',
  CLIENT_CREDENTIALS_INVALID: 'unauthenticated',
  GRANT_TYPE_UNSUPPORTED: 'invalid_argument',
  RATE_LIMITED: 'resource_exhausted',
  SERVICE_UNAVAILABLE: 'unavailable',
  TRANSACTION_CONFLICT: 'aborted',
  DEADLINE_EXCEEDED: 'deadline_exceeded',
  TEAM_REQUIRED: 'invalid_argument',
  PAGE_TOKEN_INVALID: 'invalid_argument',
  STEPS_OR_STAGES_REQUIRED: 'invalid_argument',
  STEPS_DIFFER_FROM_STAGES: 'invalid_argument',
  TOO_MANY_STEPS: 'invalid_argument',
  TIMEOUT_OUT_OF_RANGE: 'invalid_argument',
  APPROVER_NOT_FOUND: 'invalid_argument',
  BATCH_SIZE_OUT_OF_RANGE: 'invalid_argument',
  DUPLICATE_ID: 'invalid_argument',
  EXTERNAL_ID_TAKEN: 'already_exists',
  SCOPED_ID_TAKEN: 'already_exists',
  EMAIL_TAKEN: 'already_exists',
  EMAIL_CHANGE_NOT_ALONE: 'invalid_argument',
  EMAIL_MANAGED_BY_DIRECTORY: 'failed_precondition',
  EMAIL_SHARED_BETWEEN_ORGANIZATIONS: 'failed_precondition',
  PHONE_TAKEN: 'already_exists',
  PIN_FIELD_NOT_SET: 'invalid_argument',
  PIN_FIELD_NOT_ALLOWED: 'invalid_argument',
  FIELD_PINNED_AND_RELEASED: 'invalid_argument',
  OWN_ROLE: 'permission_denied',
  MANAGER_IS_SELF: 'failed_precondition',
  MANAGER_CYCLE: 'failed_precondition',
  MANAGER_NOT_FOUND: 'failed_precondition',
  PATH_NOT_FOUND: 'not_found',
  METHOD_NOT_ALLOWED: 'unimplemented',
  BODY_TOO_LARGE: 'resource_exhausted',
  MEDIA_TYPE_UNSUPPORTED: 'invalid_argument',
  IDEMPOTENCY_KEY_REUSED: 'invalid_argument',
  ETAG_MISMATCH: 'aborted',
  RESOURCE_IN_USE: 'failed_precondition',
  USER_MANAGED_BY_DIRECTORY: 'failed_precondition',
  OWN_DEACTIVATION: 'permission_denied',
  LAST_ADMINISTRATOR: 'failed_precondition',
  API_KEY_NOT_ROTATABLE: 'failed_precondition',
  GROUP_MANAGED_BY_DIRECTORY: 'failed_precondition',
  EVENT_CURSOR_OUT_OF_RANGE: 'out_of_range',
  SEAL_KEY_MISSING: 'failed_precondition',
  TOO_MANY_OBJECTS: 'failed_precondition',
} as const

/** A reason of the catalogue. */
export type ErrorReason = keyof typeof errorCodes

/** The Connect codes that the catalogue uses. */
export type ErrorCode = (typeof errorCodes)[ErrorReason]

/** A fault of a field; `field` is its path as JSON requests spell it (`resources[3].name`). */
export interface FieldViolation {
  readonly field: string
  readonly description: string
  readonly reason: ErrorReason
}

/** What an error can have besides its reason and its message. */
export interface ServiceErrorOptions {
  /** Facts for programs, such as the id of a resource. Public. */
  readonly metadata?: Readonly<Record<string, string>>
  /** The faults of fields, if there are any. */
  readonly violations?: readonly FieldViolation[]
  /** Whole seconds after which the caller may try again. */
  readonly retryAfterSeconds?: number
  /** The value of `WWW-Authenticate` (RFC 9110, RFC 6750). */
  readonly challenge?: string
  /** Whether this repeats the answer of an earlier call with the same idempotency key. Default false. */
  readonly isReplayed?: boolean
  /** What led to it; only for the log. */
  readonly cause?: unknown
}

/** A failure that the caller may see: reason, message and details are public, the cause is not. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly reason: ErrorReason
  readonly code: ErrorCode
  readonly metadata: Readonly<Record<string, string>>
  readonly violations: readonly FieldViolation[]
  readonly retryAfterSeconds: number | undefined
  readonly challenge: string | undefined
  readonly isReplayed: boolean

  constructor(reason: ErrorReason, message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.reason = reason
    this.code = errorCodes[reason]
    this.metadata = options.metadata ?? {}
    this.violations = options.violations ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
    this.challenge = options.challenge
    this.isReplayed = options.isReplayed ?? false
  }
}

/** An error about one field; the message names it. */
export function invalidField(field: string, description: string, reason: ErrorReason = 'FIELD_INVALID'): ServiceError {
  return invalidFields([{ field, description, reason }])
}

/** An error about one or more fields; the reason is that of the first. */
export function invalidFields(
  violations: readonly [FieldViolation, ...FieldViolation[]],
  cause?: unknown,
): ServiceError {
  const message = violations.map((violation) => `${violation.field}: ${violation.description}`).join('; ')
  return new ServiceError(violations[0].reason, message, { violations, cause })
}

/** The most faults that one error names, so that errors stay small: over gRPC they are sent in headers. */
export const MAX_VIOLATIONS = 20

/** Refuses a request that has faults, naming the first 20; the reason is that of the first. */
export function refuseViolations(violations: readonly FieldViolation[], cause?: unknown): void {
  const [first, ...others] = violations.slice(0, MAX_VIOLATIONS)
  if (first !== undefined) throw invalidFields([first, ...others], cause)
}

const MAX_ID_LENGTH = 128

/** Words for types of resources that the audit log names more fully. */
const FULL_NAMES: Readonly<Record<string, string>> = {
  'field mapping': 'entity_field_mapping',
  'ingestion config': 'entity_ingestion_config',
}

/** A type of resources in words, such as `API key`, as programs know it: in the way of the audit log, `api_key`. */
export function typeNamed(words: string): string {
  return FULL_NAMES[words] ?? words.toLowerCase().replaceAll(' ', '_')
}

/**
 * The error for an object that does not exist or is hidden from the caller: both get the same answer
 * (docs/permissions.md). `resourceType` is in words, such as `access policy`; `at` is the place of the id in the
 * request, if that helps.
 */
export function notFound(resourceType: string, resourceId: string, at?: string): ServiceError {
  const fault = `${resourceType} not found: it does not exist, or you have no access to it`
  const message = at === undefined ? fault : `${at}: ${fault}`
  // Text longer than any id is not sent back: over gRPC, details travel in headers, which are small.
  const metadata = { resourceType: typeNamed(resourceType), ...(resourceId.length <= MAX_ID_LENGTH && { resourceId }) }
  return new ServiceError('RESOURCE_NOT_FOUND', message, { metadata })
}
