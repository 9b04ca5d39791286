import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'

/**
 * Turns a failed connection into an `unavailable` error with the address and what the platform knows about the failure.
 * Must be the last interceptor, so that it catches what the transport throws.
 */
export function createUnreachable(baseUrl: string): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request)
    } catch (error) {
      // What fetch throws where the connection fails, in Node and in browsers.
      if (!(error instanceof TypeError)) throw error
      const message = `cannot reach ${baseUrl}: ${whyOf(error)}`
      throw new ConnectError(message, Code.Unavailable, undefined, undefined, error)
    }
  }
}

/** Node hides the reason in a cause, which has no message where several addresses were tried; browsers say nothing. */
function whyOf({ cause, message }: TypeError): string {
  if (!(cause instanceof Error)) return message
  if (cause.message !== '') return cause.message
  return 'code' in cause ? String(cause.code) : message
}
