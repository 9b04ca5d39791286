import type { HandlerContext } from '@connectrpc/connect'
import type { Runtime } from '../runtime/runtime.js'
import type { WriteContext } from '../runtime/write-context.js'
import { requestContextOf } from './request-context.js'

type CallContext = Pick<HandlerContext, 'values' | 'signal' | 'timeoutMs'>

/** What a write needs from the request that is being handled. */
export function writeContextOf(runtime: Runtime, context: CallContext): WriteContext {
  return new CallWriteContext(runtime, context)
}

// A class, because own accessors would give each object a hidden class of its own.
class CallWriteContext implements WriteContext {
  readonly runtime: Runtime
  readonly requestId: string
  readonly #context: CallContext

  constructor(runtime: Runtime, context: CallContext) {
    this.runtime = runtime
    this.requestId = requestContextOf(context).requestId
    this.#context = context
  }

  get ifMatch(): string | undefined {
    return requestContextOf(this.#context).ifMatch
  }

  // An accessor, because the signal of a call is made when it is asked for.
  get signal(): AbortSignal {
    return this.#context.signal
  }

  get timeoutMillis(): number | undefined {
    return this.#context.timeoutMs()
  }
}
