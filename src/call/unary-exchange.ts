import type { DescMessage, DescMethodUnary, Message } from '@bufbuild/protobuf'
import type { ContextValues, UnaryRequest, UnaryResponse } from '@connectrpc/connect'
import type { Call } from './call.js'

// Whatever is costly is an accessor, so that it is made only when it is read. It is an own property, because
// interceptors copy requests by spreading them; and the accessor functions are shared by all objects, because separate
// ones would give each object a hidden class of its own, which costs more than the rest of a call.
const CALL = Symbol('call')

interface OfCall {
  readonly [CALL]: Call
}

function own<Value>(read: (call: Call) => Value): PropertyDescriptor & ThisType<OfCall> {
  return {
    get() {
      return read(this[CALL])
    },
    enumerable: true,
    configurable: true,
  }
}

const url = own((call) => call.url)
const signal = own((call) => call.signal)
const requestHeader = own((call) => call.requestHeader)
const responseHeader = own((call) => call.responseHeader)
const responseTrailer = own((call) => call.responseTrailer)

/** The request that interceptors see. */
export class LazyUnaryRequest implements UnaryRequest {
  declare readonly url: string
  declare readonly signal: AbortSignal
  declare readonly header: Headers
  readonly stream = false
  readonly message: Message
  readonly method: DescMethodUnary<DescMessage, DescMessage>
  readonly service: DescMethodUnary['parent']
  readonly requestMethod: string
  readonly contextValues: ContextValues
  readonly [CALL]: Call

  constructor(method: DescMethodUnary<DescMessage, DescMessage>, call: Call, message: Message) {
    this[CALL] = call
    this.message = message
    this.method = method
    this.service = method.parent
    this.requestMethod = call.request.method ?? 'GET'
    this.contextValues = call.values
    Object.defineProperty(this, 'url', url)
    Object.defineProperty(this, 'signal', signal)
    Object.defineProperty(this, 'header', requestHeader)
  }
}

/** The response that interceptors see. */
export class LazyUnaryResponse implements UnaryResponse {
  declare readonly header: Headers
  declare readonly trailer: Headers
  readonly stream = false
  readonly message: Message
  readonly method: DescMethodUnary<DescMessage, DescMessage>
  readonly service: DescMethodUnary['parent']
  readonly [CALL]: Call

  constructor(method: DescMethodUnary<DescMessage, DescMessage>, call: Call, message: Message) {
    this[CALL] = call
    this.message = message
    this.method = method
    this.service = method.parent
    Object.defineProperty(this, 'header', responseHeader)
    Object.defineProperty(this, 'trailer', responseTrailer)
  }
}
