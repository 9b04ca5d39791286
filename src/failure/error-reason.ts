import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, type ConnectError } from '@connectrpc/connect'
import { BadRequestSchema, ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import type { ErrorReason } from '../errors.js'

/** A reason as the API spells it. */
export function reasonName(reason: ErrorReason): string {
  return `ERROR_REASON_${reason}`
}

/** The detail that carries a reason. */
export function errorInfoFrom(
  reason: ErrorReason,
  metadata: Readonly<Record<string, string>> = {},
): MessageInitShape<typeof ErrorInfoSchema> {
  return { reason: reasonName(reason), domain: 'svc.v2', metadata: { ...metadata } }
}

const reasonsByStatus: ReadonlyMap<number, ErrorReason> = new Map([
  [404, 'PATH_NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [415, 'MEDIA_TYPE_UNSUPPORTED'],
])
const reasonsByCode: ReadonlyMap<Code, ErrorReason> = new Map([
  [Code.InvalidArgument, 'MALFORMED_REQUEST'],
  [Code.ResourceExhausted, 'BODY_TOO_LARGE'],
  [Code.DeadlineExceeded, 'DEADLINE_EXCEEDED'],
  [Code.Unavailable, 'SERVICE_UNAVAILABLE'],
])

/**
 * Adds the reason to an error raised outside the handlers, where the catalogue is not known: an `ErrorInfo` if it
 * has no detail, and a reason for each field violation without one. `status` is that of the HTTP response, if it says
 * more than the code.
 */
export function addReason(error: ConnectError, status?: number): void {
  if (error.details.length === 0) {
    const reason = reasonsByStatus.get(status ?? 0) ?? reasonsByCode.get(error.code)
    if (reason !== undefined) error.details.push({ desc: ErrorInfoSchema, value: errorInfoFrom(reason) })
    return
  }
  const [badRequest] = error.findDetails(BadRequestSchema)
  if (badRequest === undefined || badRequest.fieldViolations.every(({ reason }) => reason !== '')) return
  for (const violation of badRequest.fieldViolations) violation.reason ||= reasonName('MALFORMED_REQUEST')
  error.details = [{ desc: BadRequestSchema, value: badRequest }]
}
