import { Code, ConnectError } from '@connectrpc/connect'
import { type FieldFault, faultsOf, reasonOf } from '../../../client/src/error-details.js'

/** What a person can do about a failure decides how it is shown. */
export type FailureKind = 'offline' | 'unavailable' | 'forbidden' | 'missing' | 'conflict' | 'signed-out' | 'other'

/** A failed call, in words. */
export interface Failure {
  readonly kind: FailureKind
  readonly title: string
  readonly message: string
  /** The name of a `svc.v2.ErrorReason`, without its prefix. */
  readonly reason: string | undefined
  /** What to report to those who run the service. */
  readonly requestId: string | undefined
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | undefined
  readonly faults: readonly FieldFault[]
}

const titles: Readonly<Record<FailureKind, string>> = {
  offline: 'The service cannot be reached',
  unavailable: 'The service is busy or stopping',
  forbidden: 'You have no access to this',
  missing: 'Not found',
  conflict: 'Somebody else has changed this',
  'signed-out': 'Your sign-in has ended',
  other: 'This did not work',
}

/** Reads a thrown value. */
export function failureFrom(thrown: unknown): Failure {
  const error = ConnectError.from(thrown)
  const kind = kindOf(error)
  const retryAfter = Number(error.metadata.get('retry-after') ?? Number.NaN)
  return {
    kind,
    title: titles[kind],
    message: error.rawMessage,
    reason: reasonOf(error)?.replace('ERROR_REASON_', ''),
    requestId: error.metadata.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    faults: faultsOf(error),
  }
}

function kindOf(error: ConnectError): FailureKind {
  if (reasonOf(error) === 'ERROR_REASON_ETAG_MISMATCH') return 'conflict'
  // No answer has come at all: it would have the id of its request.
  if (error.code === Code.Unavailable) return error.metadata.has('x-request-id') ? 'unavailable' : 'offline'
  if (error.code === Code.PermissionDenied) return 'forbidden'
  if (error.code === Code.NotFound) return 'missing'
  if (error.code === Code.Unauthenticated) return 'signed-out'
  return 'other'
}
