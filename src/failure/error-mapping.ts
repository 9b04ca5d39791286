import { Code, ConnectError } from '@connectrpc/connect'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { BadRequestSchema, ErrorInfoSchema, RequestInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { insufficientScope } from '../admission/bearer.js'
import { type DatabaseFailure, databaseFailure } from '../db/errors.js'
import { takenValueError, takenValueOf } from '../domain/value/taken-value.js'
import { type ErrorCode, ServiceError } from '../errors.js'
import { errorInfoFrom, reasonName } from './error-reason.js'

/** Errors whose causes, if they have any, are left to log. */
const causesLogged: readonly ErrorCode[] = ['unavailable', 'deadline_exceeded']

/** Failures of the database that callers cause and see, so that nothing is left to log. */
const callerFaults: readonly ErrorCode[] = ['already_exists', 'invalid_argument']

/**
 * The error for a thrown value as the caller may see it; the rest is logged. Without other details, it has the id of
 * the request, under which the log has the cause.
 */
export function maskError(
  thrown: unknown,
  log: { error(fields: Record<string, unknown>, message: string): void },
  call: { readonly requestId: string | undefined; readonly method: string },
): ConnectError {
  const { error, unexpected } = mapError(thrown)
  const { requestId } = call
  if (unexpected) log.error({ ...call, err: thrown }, 'call failed')
  if (unexpected && requestId !== undefined && error.details.length === 0) {
    error.details.push({ desc: RequestInfoSchema, value: { requestId } })
  }
  return error
}

/**
 * The only way from a thrown value to what leaves the service: errors of the catalogue with their details, failures of
 * the database by their meaning, and everything else as `internal` with a fixed message. `unexpected` is what must go
 * to the log because the caller does not see it.
 */
function mapError(thrown: unknown): { readonly error: ConnectError; readonly unexpected: boolean } {
  if (thrown instanceof ConnectError) return { error: thrown, unexpected: false }
  if (thrown instanceof ServiceError) {
    return {
      error: connectErrorFrom(thrown),
      unexpected: causesLogged.includes(thrown.code) && thrown.cause !== undefined,
    }
  }
  const aborted = abortError(thrown)
  if (aborted !== undefined) return { error: aborted, unexpected: false }
  const failure = databaseFailure(thrown)
  const known = failure === undefined ? undefined : serviceErrorFrom(failure, thrown)
  if (known !== undefined) {
    const isExpected = failure?.kind === 'busy' || callerFaults.includes(known.code)
    return { error: connectErrorFrom(known), unexpected: !isExpected }
  }
  return { error: new ConnectError('internal error', Code.Internal, undefined, undefined, thrown), unexpected: true }
}

function connectErrorFrom(error: ServiceError): ConnectError {
  const headers = new Headers()
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds))
  if (error.isReplayed) headers.set('idempotency-replayed', 'true')
  const { permission } = error.metadata
  const isMissing = error.reason === 'PERMISSION_MISSING' && permission !== undefined
  const challenge = isMissing ? insufficientScope(permission) : error.challenge
  if (challenge !== undefined) headers.set('www-authenticate', challenge)
  const fieldViolations = error.violations.map(({ field, description, reason }) => {
    return { field, description, reason: reasonName(reason) }
  })
  const detail =
    fieldViolations.length > 0
      ? { desc: BadRequestSchema, value: { fieldViolations } }
      : { desc: ErrorInfoSchema, value: errorInfoFrom(error.reason, error.metadata) }
  return new ConnectError(error.message, codeFromString(error.code) ?? Code.Internal, headers, [detail], error.cause)
}

function serviceErrorFrom(failure: DatabaseFailure, cause: unknown): ServiceError | undefined {
  switch (failure.kind) {
    case 'unique_violation': {
      const taken = takenValueOf(cause)
      return taken && takenValueError(taken, cause)
    }
    case 'foreign_key_violation':
    case 'check_violation':
      return undefined
    case 'retryable':
      return new ServiceError('TRANSACTION_CONFLICT', 'too many concurrent changes; try again', { cause })
    case 'timeout':
      return new ServiceError('DEADLINE_EXCEEDED', 'the database did not answer in time', { cause })
    case 'unavailable':
    case 'stale_statement':
      return new ServiceError('SERVICE_UNAVAILABLE', 'the service is unavailable; try again', {
        cause,
        retryAfterSeconds: 1,
      })
    case 'busy':
      return new ServiceError('SERVICE_UNAVAILABLE', 'the service is busy; try again', { retryAfterSeconds: 1 })
    case 'invalid_text':
      return new ServiceError('MALFORMED_REQUEST', 'a text contains U+0000, which cannot be stored: remove it', {
        cause,
      })
  }
}

/** The error for an aborted signal: the deadline passed, or the caller went away; undefined for the rest. */
function abortError(thrown: unknown): ConnectError | undefined {
  const name = thrown instanceof Error ? thrown.name : ''
  if (name === 'TimeoutError') return connectErrorFrom(new ServiceError('DEADLINE_EXCEEDED', 'the deadline passed'))
  if (name !== 'AbortError') return undefined
  return new ConnectError('the call was canceled', Code.Canceled, undefined, undefined, thrown)
}
