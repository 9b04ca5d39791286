import type { Interceptor, Transport } from '@connectrpc/connect'
import { Code, ConnectError } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { createRetries } from '../../../client/src/retry.js'
import { machineTiming } from '../../../client/src/timing.js'
import { createUnreachable } from '../../../client/src/unreachable.js'
import type { Session } from '../session/session.js'

const TIMEOUT_MILLIS = 30_000
/** A longer `Retry-After` is shown, with a button. */
const MAX_WAIT_MILLIS = 3_000

/** Calls the service as who is signed in, tries again what can be, and renews a refused token or ends the session. */
export function createServiceTransport(baseUrl: string, session: Session): Transport {
  return createConnectTransport({
    baseUrl,
    defaultTimeoutMs: TIMEOUT_MILLIS,
    interceptors: [
      createRetries({ maxAttempts: 3, maxDelayMillis: MAX_WAIT_MILLIS }, machineTiming),
      createAuthorization(session),
      createUnreachable(baseUrl),
    ],
  })
}

function createAuthorization(session: Session): Interceptor {
  return (next) => async (request) => {
    const send = (token: string | undefined) => {
      if (token !== undefined) request.header.set('authorization', `Bearer ${token}`)
      return next(request)
    }
    const token = session.credential()?.token
    try {
      const answer = await send(token)
      if (session.credential()?.token === token) session.accepted()
      return answer
    } catch (error) {
      const isRefused = error instanceof ConnectError && error.code === Code.Unauthenticated
      // A call that began before the person signed in again says nothing about the new token.
      if (!isRefused || session.credential()?.token !== token || !(await session.refused())) throw error
      return send(session.credential()?.token)
    }
  }
}
