import type { Interceptor } from '@connectrpc/connect'
import { requestContextKey } from '../handlers/request-context.js'
import { mapError } from './error-mapping.js'

/** Where failures go that callers do not see. A pino logger fits. */
export interface ErrorLog {
  error(fields: Record<string, unknown>, message: string): void
}

/**
 * Turns whatever a handler throws into what the caller may see, and logs what the caller does not see with the id of
 * the request.
 */
export function createErrorMasking(log: ErrorLog): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request)
    } catch (thrown) {
      const { error, unexpected } = mapError(thrown)
      if (unexpected) {
        const requestId = request.contextValues.get(requestContextKey)?.requestId
        log.error(
          { requestId, method: `${request.service.typeName}/${request.method.name}`, err: thrown },
          'call failed',
        )
      }
      throw error
    }
  }
}
