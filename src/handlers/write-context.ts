import type { HandlerContext } from '@connectrpc/connect'
import type { WriteContext } from '../domain/audit/audit-statement.js'
import type { Runtime } from '../runtime/runtime.js'
import { requestContextOf } from './request-context.js'

/** What a write takes from the request that is being handled. */
export function writeContextOf(
  runtime: Runtime,
  context: Pick<HandlerContext, 'values' | 'signal' | 'timeoutMs'>,
): WriteContext {
  return {
    runtime,
    requestId: requestContextOf(context).requestId,
    // Read by those that need it: the signal of a call is made when it is asked for.
    get signal() {
      return context.signal
    },
    get timeoutMillis() {
      return context.timeoutMs()
    },
  }
}
