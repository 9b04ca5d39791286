import type { MethodImplSpec } from '@connectrpc/connect'
import { Call } from '../call/call.js'
import type { ReadTimeout } from '../call/deadline.js'
import type { RpcCallOptions } from './call-options.js'
import type { HttpRequest, HttpResponse } from './http-message.js'
import type { MessageCodec } from './message-codec.js'

/** A method as its calls need it. */
export interface RpcMethod<Spec extends MethodImplSpec = MethodImplSpec> {
  readonly spec: Spec
  readonly codec: MessageCodec
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number | undefined
  readonly options: RpcCallOptions
}

/** How long the request of a call without a deadline may take. */
const REQUEST_MILLIS = 60_000

/** A call whose deadline is running. */
export interface StartedCall {
  readonly call: Call
  /** Checks the caller, then the syntax of the deadline. */
  admit(): Promise<void>
  /** To be called when the request has arrived, before anything of it is decoded. */
  received(): Promise<void>
}

/** Starts a call: from here on its deadline runs, admission included. */
export function startCall(
  { spec: { method }, maxTimeoutMs, options }: RpcMethod,
  request: HttpRequest,
  response: HttpResponse,
  protocol: { readonly name: string; readonly readTimeout: ReadTimeout },
): StartedCall {
  const call = new Call(method, request, response, options.shutdown, protocol.name)
  const { timeoutMs, fault } = protocol.readTimeout(request, maxTimeoutMs)
  call.startDeadline(timeoutMs ?? REQUEST_MILLIS)
  return {
    call,
    admit: async () => {
      call.values = await options.admit(call)
      call.throwIfAborted()
      if (fault !== undefined) throw fault
    },
    received: async () => {
      if (timeoutMs === undefined) call.endDeadline()
      await options.beforeDecode?.(call)
      call.throwIfAborted()
    },
  }
}
