import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { type NodeRequest, type NodeResponse, urlFromRequest, webHeadersFromRequest } from './node-http.js'

/** What one call has, made only when somebody asks for it. */
export interface Call {
  readonly method: DescMethod
  readonly request: NodeRequest
  readonly response: NodeResponse
  values: ContextValues
  readonly url: string
  readonly requestHeader: Headers
  readonly responseHeader: Headers
  readonly responseTrailer: Headers
  readonly signal: AbortSignal
  /** The headers and trailers that the call set, undefined when nobody touched them. */
  readonly touchedHeader: Headers | undefined
  readonly touchedTrailer: Headers | undefined
  /** The milliseconds left until the deadline, undefined without one. */
  timeoutMs(): number | undefined
  /** Starts the deadline: `deadline_exceeded` aborts the call when it passes. */
  startDeadline(timeoutMs: number): void
  /** Why the call was aborted: the client is gone, the deadline passed, the server stops. Undefined while it was not. */
  readonly abortReason: ConnectError | undefined
  /** Settles as `work` does, or rejects with the abort reason as soon as there is one. */
  unlessAborted<T>(work: Promise<T>): Promise<T>
  /** Ends the call: stops the timer and aborts the signal, as Connect does at the end of a call. */
  finish(): void
}

const MAX_TIMER_MS = 2 ** 31 - 1

/** Creates the call for a request. The client going away, or `shutdown`, aborts its signal with `canceled`. */
export function createCall(
  method: DescMethod,
  request: NodeRequest,
  response: NodeResponse,
  shutdown: AbortSignal | undefined,
): Call {
  const made: Lazily = {}
  let abortReason: ConnectError | undefined
  let finished = false
  let timer: NodeJS.Timeout | undefined
  let deadline: number | undefined

  function abort(why: ConnectError): void {
    if (abortReason !== undefined || finished) return
    abortReason = why
    made.controller?.abort(why)
    made.rejectWaiting?.(why)
  }
  const onClose = (): void => abort(new ConnectError('the client went away', Code.Canceled))
  const onShutdown = (): void => abort(new ConnectError('the server shuts down', Code.Canceled))
  response.once('close', onClose)
  shutdown?.addEventListener('abort', onShutdown)

  return {
    method,
    request,
    response,
    get values() {
      made.values ??= createContextValues()
      return made.values
    },
    set values(values) {
      made.values = values
    },
    get url() {
      made.url ??= urlFromRequest(request)
      return made.url
    },
    get requestHeader() {
      made.requestHeader ??= webHeadersFromRequest(request)
      return made.requestHeader
    },
    get responseHeader() {
      made.responseHeader ??= new Headers()
      return made.responseHeader
    },
    get responseTrailer() {
      made.responseTrailer ??= new Headers()
      return made.responseTrailer
    },
    get signal() {
      if (made.controller === undefined) {
        made.controller = new AbortController()
        if (abortReason !== undefined) made.controller.abort(abortReason)
      }
      return made.controller.signal
    },
    get touchedHeader() {
      return made.responseHeader
    },
    get touchedTrailer() {
      return made.responseTrailer
    },
    timeoutMs: () => (deadline === undefined ? undefined : deadline - Date.now()),
    startDeadline(timeoutMs) {
      deadline = Date.now() + timeoutMs
      const expire = (): void => abort(new ConnectError('the deadline passed', Code.DeadlineExceeded))
      if (timeoutMs <= 0) expire()
      else if (timeoutMs <= MAX_TIMER_MS) timer = setTimeout(expire, timeoutMs)
    },
    get abortReason() {
      return abortReason
    },
    unlessAborted(work) {
      made.waiting ??= new Promise<never>((_, reject) => {
        made.rejectWaiting = reject
        if (abortReason !== undefined) reject(abortReason)
      })
      return Promise.race([work, made.waiting])
    },
    finish() {
      if (finished) return
      finished = true
      clearTimeout(timer)
      response.off('close', onClose)
      shutdown?.removeEventListener('abort', onShutdown)
      if (abortReason === undefined) made.controller?.abort()
    },
  }
}

interface Lazily {
  values?: ContextValues
  url?: string
  requestHeader?: Headers
  responseHeader?: Headers
  responseTrailer?: Headers
  controller?: AbortController
  waiting?: Promise<never>
  rejectWaiting?: (reason: ConnectError) => void
}

/** The context that a handler gets. Its members are accessors on the object itself, so that spreading it works. */
export function handlerContextFromCall(call: Call): HandlerContext {
  return {
    method: call.method,
    service: call.method.parent,
    requestMethod: call.request.method ?? 'GET',
    protocolName: 'rest',
    timeoutMs: () => call.timeoutMs(),
    get url() {
      return call.url
    },
    get signal() {
      return call.signal
    },
    get requestHeader() {
      return call.requestHeader
    },
    get responseHeader() {
      return call.responseHeader
    },
    get responseTrailer() {
      return call.responseTrailer
    },
    get values() {
      return call.values
    },
  }
}
