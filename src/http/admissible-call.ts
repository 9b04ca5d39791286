import { headerOf } from '../call/node-http.js'
import type { AdmitCall } from '../call/serve-call.js'
import type { ClientAddressOf } from './client-address.js'

/** What admission is told about a call. Address and signal are made only when they are asked for, which is rare. */
export class AdmissibleCall {
  readonly requestId: string
  readonly authorization: string | undefined
  readonly traceparent: string | undefined
  readonly onCaller: (callerId: string) => void
  readonly #call: AdmitCall
  readonly #clientAddressOf: ClientAddressOf
  readonly #remoteAddress: string | undefined

  constructor(
    call: AdmitCall,
    requestId: string,
    clientAddressOf: ClientAddressOf,
    onCaller: (callerId: string) => void,
    traceparent?: string,
  ) {
    this.traceparent = traceparent
    this.onCaller = onCaller
    this.requestId = requestId
    this.authorization = call.request.headers.authorization
    this.#call = call
    this.#clientAddressOf = clientAddressOf
    // Read now, because it is lost when the connection ends.
    this.#remoteAddress = call.request.socket.remoteAddress
  }

  clientAddress(): string {
    return this.#clientAddressOf(this.#remoteAddress, this.#call.request.headers['x-forwarded-for'])
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  get idempotencyKey(): string | undefined {
    return headerOf(this.#call.request, 'idempotency-key')
  }

  get ifMatch(): string | undefined {
    return headerOf(this.#call.request, 'if-match')
  }
}
