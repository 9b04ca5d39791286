import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DescMethod, Message } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, type Interceptor } from '@connectrpc/connect'
import type { Call } from './call.js'
import type { Timeout } from './deadline.js'
import { HttpFailure, httpFailureFrom } from './http-failure.js'
import { cutResponse, isGone, type NodeRequest } from './node-http.js'

/** Observes every call of a method, over any protocol. Must not throw. */
export interface CallObserver {
  /** The method of a request is known; nothing of the caller is judged. */
  begun(call: Call): void
  /** The response is handed to the server, or its client is gone; `errorCode` of the call is known. */
  ended(call: Call): void
}

/** The call as `admit` sees it: path and method are matched, body and query are not read yet. */
export type AdmitCall = Pick<
  Call,
  'method' | 'request' | 'requestHeader' | 'responseHeader' | 'url' | 'signal' | 'values' | 'timeoutMs'
>

/** The hooks around the calls of every protocol. */
export interface CallHooks {
  /** Around every call, the first one outermost, as in `connectNodeAdapter`. */
  readonly interceptors?: readonly Interceptor[] | undefined
  /**
   * Runs after path and method are matched, before the size, type and content of the body and the query are examined.
   * An error that it throws is the response; interceptors and handlers see the context values that it returns.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement is a valid hook.
  readonly admit?: ((call: AdmitCall) => ContextValues | void | Promise<ContextValues | void>) | undefined
  /**
   * Runs after the size and type of the body are checked, and before the body and the query are decoded: the place for
   * a limit that counts malformed requests as well. An error that it throws is the response.
   */
  readonly beforeDecode?: ((call: Pick<AdmitCall, 'method' | 'values'>) => void | Promise<void>) | undefined
  /** Runs before the response of a request that has failed is sent, which waits for it. Must not fail. */
  readonly beforeFailure?: ((request: NodeRequest) => Promise<void>) | undefined
  /** Runs before the response of a call that has succeeded is sent. An error that it throws is the response. */
  readonly beforeAnswer?: ((call: Pick<AdmitCall, 'method' | 'request'>) => void) | undefined
  /** Makes a public error of whatever is thrown. Default: every `ConnectError` is public, and nothing else. */
  readonly publicError?: ((cause: unknown, call: Pick<AdmitCall, 'method' | 'request'>) => ConnectError) | undefined
  /** Observes every request whose path and method are those of a method. */
  readonly observer?: CallObserver | undefined
  /** Called with the cause of every failure that is masked as `internal`. */
  readonly onError?: ((cause: unknown, context: FailureContext) => void) | undefined
  /** Aborts the signal of every running call, with `unavailable`. */
  readonly shutdownSignal?: AbortSignal | undefined
}

/** Where a failure has happened that is reported nowhere else. */
interface FailureContext {
  readonly method: DescMethod | undefined
  readonly request: NodeRequest
}

/** How a protocol reads the request of one call and writes its response: all in which protocols differ. */
export interface Exchange<Request, Answer> {
  /**
   * Receives the request, and returns what decodes it. Throws an `HttpFailure` for its size and type; any other error
   * is about its content, and comes after `beforeDecode`, which counts malformed calls too.
   */
  receive(): Promise<() => Request> | (() => Request)
  invoke(request: Request): Promise<Answer> | Answer
  answer(answer: Answer): Promise<void> | void
  /** Sends an error, as the whole response or as the end of one that has begun. */
  fail(failure: HttpFailure): Promise<void> | void
}

/**
 * Serves a call over any protocol: starts its deadline, admits the caller, receives and decodes the request, invokes
 * the method, and sends the response. Every failure is a response, unless the client is gone. `receiveMs` bounds the
 * receipt of a request without a deadline.
 */
export async function serveCall<Request, Answer>(
  call: Call,
  exchange: Exchange<Request, Answer>,
  timeout: Timeout,
  hooks: CallHooks,
  receiveMs?: number,
): Promise<void> {
  hooks.observer?.begun(call)
  try {
    const deadlineMs = timeout.timeoutMs ?? receiveMs
    if (deadlineMs !== undefined) call.startDeadline(deadlineMs)
    const answer = await call.unlessAborted(carryOut(call, exchange, timeout, hooks))
    hooks.beforeAnswer?.(call)
    await exchange.answer(answer)
  } catch (cause) {
    const failure = failureFrom(cause, call, hooks)
    call.errorCode = failure.error.code
    if (!isGone(call.response)) await hooks.beforeFailure?.(call.request)
    try {
      await exchange.fail(failure)
    } catch (refused) {
      // Only a header that Node refuses gets here: there is no way left to answer. The response may have had it
      // already.
      if (failure.error.cause === undefined) report(refused, call, hooks)
      cutResponse(call.response)
    }
  }
  call.finish()
  hooks.observer?.ended(call)
}

/** A request that takes longer to decode is checked and handled in a turn of the event loop of its own. */
const LONG_DECODING_MILLIS = 2

async function carryOut<Request, Answer>(
  call: Call,
  exchange: Exchange<Request, Answer>,
  { timeoutMs, fault }: Timeout,
  hooks: CallHooks,
): Promise<Answer> {
  try {
    if (hooks.admit !== undefined) call.values = (await hooks.admit(call)) ?? call.values
    call.throwIfAborted()
    let decode: () => Request
    try {
      decode = await exchange.receive()
    } catch (cause) {
      if (!(cause instanceof ConnectError) || cause.code === Code.Canceled) throw cause
      decode = () => {
        throw cause
      }
    }
    if (timeoutMs === undefined) call.endDeadline()
    const counted = hooks.beforeDecode?.(call)
    if (counted !== undefined) await counted
    call.throwIfAborted()
    if (fault !== undefined) throw fault
    const since = performance.now()
    const decoded = decode()
    if (performance.now() - since > LONG_DECODING_MILLIS) {
      await nextTurn()
      call.throwIfAborted()
    }
    return await exchange.invoke(decoded)
  } catch (cause) {
    // Here, so that what fails after the call is aborted is reported as well.
    throw failureFrom(cause, call, hooks)
  }
}

function failureFrom(cause: unknown, call: Call, hooks: CallHooks): HttpFailure {
  if (cause instanceof HttpFailure) return cause
  const error = hooks.publicError === undefined ? cause : hooks.publicError(cause, call)
  if (error instanceof ConnectError) return httpFailureFrom(error)
  // Work that failed because its call was aborted failed for the reason of the abort.
  if (call.abortReason !== undefined) return httpFailureFrom(call.abortReason)
  report(cause, call, hooks)
  return httpFailureFrom(new ConnectError('internal error', Code.Internal, undefined, undefined, cause))
}

/** Reports a failure to the hook. One that fails itself must not keep the client from its response. */
export function report(
  cause: unknown,
  { method, request }: FailureContext,
  { onError }: Pick<CallHooks, 'onError'>,
): void {
  try {
    onError?.(cause, { method, request })
  } catch {
    // There is nowhere else to report it.
  }
}

/**
 * Writes the messages of a stream, each as soon as it is there and no faster than its client reads, until the client is
 * gone or `write` returns false.
 */
export async function writeMessages(
  call: Call,
  messages: AsyncIterator<Message>,
  write: (message: Message) => Promise<boolean>,
): Promise<void> {
  try {
    while (!isGone(call.response)) {
      const next = await call.unlessAborted(messages.next())
      if (next.done === true) return
      if (!(await call.unlessAborted(write(next.value)))) return
    }
  } finally {
    // The handler may be stuck and ignore its signal: it is asked to stop, but not awaited.
    messages.return?.().catch(() => undefined)
  }
}
