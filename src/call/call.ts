import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { isGone, type NodeRequest, type NodeResponse, urlFromRequest, webHeadersFromRequest } from './node-http.js'
import { Roster } from './roster.js'

type CallOptions = Pick<Call, 'method' | 'request' | 'response' | 'protocolName'> &
  Partial<Pick<Call, 'route'>> & { readonly shutdown: Shutdown }

/** Notifies running calls that the server is shutting down. */
export type Shutdown = ReturnType<typeof createShutdown>

/** One listener on the signal for all calls: Node warns about a signal with a listener for each. */
export function createShutdown(signal: AbortSignal | undefined) {
  const calls = new Roster<Pick<Call, 'stop'>>()
  signal?.addEventListener('abort', () => {
    for (const call of calls) call.stop()
  })
  return {
    get isUnderWay() {
      return signal?.aborted === true
    },
    /** The calls to be stopped when it begins. */
    calls,
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1
/** Made once: an exception with its stack costs more than everything else at the end of a call. */
const ENDED = new DOMException('the call has ended', 'AbortError')

/**
 * One call, which is also the context that its handler gets. Whatever handlers and interceptors may ask for is made
 * only when they do. The call is aborted when the client goes away, at the deadline, or by the shutdown.
 */
export class Call implements HandlerContext {
  readonly method: DescMethod
  readonly request: NodeRequest
  readonly response: NodeResponse
  /** The protocol as handlers see it, such as `rest` or `grpc`. */
  readonly protocolName: string
  /** The template of the path that has led to the method; undefined over RPC. */
  readonly route: string | undefined
  /** On the clock of `performance.now`. */
  readonly startedAt = performance.now()
  /** The code of the error that the call is answered with; undefined where it is not. */
  errorCode: Code | undefined
  /** Why the call was aborted; undefined if it was not. Known only once something watches the call. */
  abortReason: ConnectError | undefined
  readonly #shutdown: Shutdown
  #rejectWaiting: ((reason: ConnectError) => void) | undefined
  #finished = false
  #values: ContextValues | undefined
  #url: string | undefined
  #requestHeader: Headers | undefined
  #responseHeader: Headers | undefined
  #responseTrailer: Headers | undefined
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #deadline: number | undefined
  #onClose: (() => void) | undefined
  /** Among the calls that a shutdown stops. */
  #place: number | undefined

  constructor({ method, request, response, shutdown, protocolName, route }: CallOptions) {
    this.method = method
    this.request = request
    this.response = response
    this.protocolName = protocolName
    this.route = route
    this.#shutdown = shutdown
  }

  get service(): DescMethod['parent'] {
    return this.method.parent
  }

  get requestMethod(): string {
    return this.request.method ?? 'GET'
  }

  get values(): ContextValues {
    this.#values ??= createContextValues()
    return this.#values
  }

  set values(values: ContextValues) {
    this.#values = values
  }

  get url(): string {
    this.#url ??= urlFromRequest(this.request)
    return this.#url
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= webHeadersFromRequest(this.request)
    return this.#requestHeader
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers()
    return this.#responseHeader
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers()
    return this.#responseTrailer
  }

  /** The headers that the call set, undefined if nothing accessed them. */
  get touchedHeader(): Headers | undefined {
    return this.#responseHeader
  }

  /** The trailers that the call set, undefined if nothing accessed them. */
  get touchedTrailer(): Headers | undefined {
    return this.#responseTrailer
  }

  /** Aborted with `canceled`, `deadline_exceeded` or `unavailable`, and at the end of the call, as over Connect. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.#watch()
      if (this.abortReason !== undefined) this.#controller.abort(this.abortReason)
      else if (this.#finished) this.#controller.abort(ENDED)
    }
    return this.#controller.signal
  }

  /** The whole milliseconds left, undefined without a deadline. Bound, because handlers take it out. */
  get timeoutMs(): () => number | undefined {
    return () => (this.#deadline === undefined ? undefined : this.#deadline - Math.floor(performance.now()))
  }

  /**
   * Starts the deadline: `deadline_exceeded` aborts the call when it passes. Fractions of a millisecond are rounded up,
   * because handlers pass the time on to other services as an integer.
   */
  startDeadline(timeoutMs: number): void {
    this.#deadline = Math.floor(performance.now()) + Math.ceil(timeoutMs)
    const expire = (): void => this.#abort(new ConnectError('the deadline passed', Code.DeadlineExceeded))
    if (timeoutMs <= 0) expire()
    else if (timeoutMs <= MAX_TIMER_MS) this.#timer = setTimeout(expire, timeoutMs)
  }

  /** Throws the abort reason if there is one, so that nothing is begun for an aborted call. */
  throwIfAborted(): void {
    if (this.abortReason !== undefined) throw this.abortReason
  }

  /** Removes the deadline: from here on the call may last as long as its client wants. */
  endDeadline(): void {
    clearTimeout(this.#timer)
    this.#deadline = undefined
  }

  /**
   * Settles as `work` does, or rejects with the abort reason as soon as there is one. A client that has gone is a
   * reason only if something has asked for the signal; otherwise no one waits for the response. A call waits for one
   * thing at a time.
   */
  unlessAborted<T>(work: Promise<T>): Promise<T> {
    this.#watchShutdown()
    return new Promise((resolve, reject) => {
      this.#rejectWaiting = reject
      work.then(resolve, reject)
      if (this.abortReason !== undefined) reject(this.abortReason)
    })
  }

  stop(): void {
    this.#abort(new ConnectError('the server is shutting down', Code.Unavailable, { 'retry-after': '1' }))
  }

  /** Ends the call: stops the timer and aborts the signal, as Connect does at the end of a call. */
  finish(): void {
    this.#finished = true
    clearTimeout(this.#timer)
    if (this.#onClose !== undefined) this.response.off('close', this.#onClose)
    if (this.#place !== undefined) this.#shutdown.calls.leave(this.#place)
    this.#place = undefined
    if (this.abortReason === undefined) this.#controller?.abort(ENDED)
  }

  // Listeners cost more than most calls: they are added when the first one asks for the signal.
  #watch(): void {
    this.#watchShutdown()
    if (this.#onClose !== undefined || this.#finished) return
    this.#onClose = () => this.#abort(new ConnectError('the client disconnected', Code.Canceled))
    if (isGone(this.response)) this.#onClose()
    else this.response.on('close', this.#onClose)
  }

  #watchShutdown(): void {
    if (this.#place !== undefined || this.#finished) return
    if (this.#shutdown.isUnderWay) this.stop()
    else this.#place = this.#shutdown.calls.join(this)
  }

  #abort(reason: ConnectError): void {
    if (this.abortReason !== undefined || this.#finished) return
    this.abortReason = reason
    this.#controller?.abort(reason)
    this.#rejectWaiting?.(reason)
  }
}
