import type { ConnectError, Interceptor } from '@connectrpc/connect'
import { RequestInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { requestContextKey } from '../handlers/request-context.js'
import { mapError } from './error-mapping.js'

/** Where failures that callers do not see are logged. A pino logger fits. */
export interface ErrorLog {
  error(fields: Record<string, unknown>, message: string): void
}

/** What is known about the call that failed. */
export interface FailedCall {
  readonly requestId: string | undefined
  readonly method: string
}

/**
 * What the caller may see of a thrown value; the rest is logged. An error that tells nothing else has the id of the
 * request as its detail, under which the cause is in the log.
 */
export function maskError(thrown: unknown, log: ErrorLog, call: FailedCall): ConnectError {
  const { error, unexpected } = mapError(thrown)
  const { requestId } = call
  if (unexpected) log.error({ ...call, err: thrown }, 'call failed')
  if (unexpected && requestId !== undefined && error.details.length === 0) {
    error.details.push({ desc: RequestInfoSchema, value: { requestId } })
  }
  return error
}

/** Masks whatever a handler throws. */
export function createErrorMasking(log: ErrorLog): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request)
    } catch (thrown) {
      const requestId = request.contextValues.get(requestContextKey)?.requestId
      throw maskError(thrown, log, { requestId, method: request.method.name })
    }
  }
}
