import type { OutgoingHttpHeaders } from 'node:http'
import type { Message } from '@bufbuild/protobuf'
import { Code, ConnectError, type MethodImplSpec } from '@connectrpc/connect'
import { compressedFlag } from '@connectrpc/connect/protocol'
import { deferMalformed } from '../call/body-reader.js'
import type { Call } from '../call/call.js'
import { drainRequest } from '../call/drain.js'
import { invokeStreaming, invokeUnary, once, type StreamingSpec, type UnarySpec } from '../call/invoke.js'
import { turnOfBody } from '../call/long-body.js'
import { headerOf } from '../call/node-http.js'
import { addHeaders } from '../call/respond.js'
import { createSink, type Sink } from '../call/response-sink.js'
import { invalidArgument } from '../protojson/invalid.js'
import { type Codings, negotiateCodings } from './codings.js'
import { createEnvelopeReader, type EnvelopeReader } from './envelope-reader.js'
import type { EnvelopedProtocol } from './enveloped-protocol.js'
import { bytesOfEnvelope, endEnveloped } from './enveloped-response.js'
import type { MessageForm } from './message-codec.js'
import { publicErrorFrom } from './public-error.js'
import type { RpcMethod, StartedCall } from './rpc-call.js'

/** One call, with what is known about it. */
interface Exchange {
  readonly method: RpcMethod
  readonly protocol: EnvelopedProtocol
  readonly form: MessageForm
  readonly started: StartedCall
  readonly call: Call
  readonly codings: Codings
  /** Made when the caller is admitted: nothing from a stranger is read. */
  reader: EnvelopeReader | undefined
}

/** Answers a call of any kind over gRPC, gRPC-Web, or the streams of Connect. Every failure is an answer. */
export async function answerEnveloped(
  method: RpcMethod,
  protocol: EnvelopedProtocol,
  form: MessageForm,
  started: StartedCall,
): Promise<void> {
  const { call } = started
  const requested = headerOf(call.request, protocol.encodingHeader)
  const codings = negotiateCodings(call.request, requested, protocol.acceptEncodingHeader)
  const exchange: Exchange = { method, protocol, form, started, call, codings, reader: undefined }
  const { spec } = method
  if (spec.kind === 'unary') await answerUnary(exchange, spec)
  else await answerStream(exchange, spec)
}

async function answerUnary(exchange: Exchange, spec: UnarySpec): Promise<void> {
  const { call, method, form, codings } = exchange
  const work = async () => {
    const message = await receiveMessage(exchange, 'unary')
    return bytesOf(form.write(await invokeUnary(spec, method.options.interceptors, call, message)))
  }
  const parts: Uint8Array[] = []
  let failure: ConnectError | undefined
  try {
    const data = await call.unlessAborted(work())
    parts.push(await bytesOfEnvelope({ flags: 0, data }, codings.response))
  } catch (cause) {
    failure = publicErrorFrom(cause, call, method.options)
  }
  await endAnswer(exchange, failure, parts)
}

async function answerStream(exchange: Exchange, spec: StreamingSpec): Promise<void> {
  const { call, method, form, codings } = exchange
  let messages: AsyncIterator<Message> | undefined
  let sink: Sink | undefined
  let failure: ConnectError | undefined
  try {
    const input = await call.unlessAborted(receiveMessages(exchange, spec.kind))
    messages = invokeStreaming(spec, method.options.interceptors, call, input)
    for (;;) {
      const next = await call.unlessAborted(messages.next())
      if (next.done === true) break
      const envelope = await bytesOfEnvelope({ flags: 0, data: bytesOf(form.write(next.value)) }, codings.response)
      sink ??= beginStream(exchange)
      await call.unlessAborted(sink.write(envelope))
    }
  } catch (cause) {
    failure = publicErrorFrom(cause, call, method.options)
  }
  // The handler may be stuck and ignore its signal: it is told to stop, but not waited for.
  messages?.return?.().catch(() => undefined)
  await endAnswer(exchange, failure, [])
}

function bytesOf(written: string | Uint8Array): Uint8Array {
  return typeof written === 'string' ? Buffer.from(written) : written
}

function beginStream(exchange: Exchange): Sink {
  exchange.call.response.writeHead(200, headersOf(exchange))
  return createSink(exchange.call.response, undefined)
}

function headersOf({ call, protocol, form, codings }: Exchange): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  addHeaders(headers, call.touchedHeader)
  headers['content-type'] = protocol.typePrefix + form.name
  if (codings.response !== null) headers[protocol.encodingHeader] = codings.response.name
  return headers
}

function endAnswer(exchange: Exchange, failure: ConnectError | undefined, parts: readonly Uint8Array[]): Promise<void> {
  const { call, protocol, codings, reader } = exchange
  reader?.stop()
  // Before the end: Node would cut a request that nobody reads once it is answered.
  drainRequest(call.request)
  const ending = protocol.end(call.touchedTrailer, failure)
  return endEnveloped(call.response, headersOf(exchange), parts, ending, codings.response)
}

/** The one message of a call that has one. */
async function receiveMessage(exchange: Exchange, kind: string): Promise<Message> {
  const reader = await openReader(exchange)
  const read = await deferMalformed(async () => {
    const data = await onlyMessage(exchange, reader, kind)
    return () => exchange.form.read(data)
  })
  await exchange.started.received()
  return read()
}

async function receiveMessages(exchange: Exchange, kind: MethodImplSpec['kind']): Promise<AsyncIterable<Message>> {
  if (kind === 'server_streaming') return once(await receiveMessage(exchange, 'server-streaming'))
  const reader = await openReader(exchange)
  await exchange.started.received()
  return messagesOf(exchange, reader)
}

async function openReader(exchange: Exchange): Promise<EnvelopeReader> {
  const { started, call, codings, method } = exchange
  await started.admit()
  if (codings.error !== undefined) throw codings.error
  exchange.reader = createEnvelopeReader(call.request, method.maxBodyBytes)
  return exchange.reader
}

async function* messagesOf(exchange: Exchange, reader: EnvelopeReader): AsyncGenerator<Message> {
  for (;;) {
    const data = await nextMessage(exchange, reader)
    if (data === undefined) return
    yield exchange.form.read(data)
  }
}

async function onlyMessage(exchange: Exchange, reader: EnvelopeReader, kind: string): Promise<Uint8Array> {
  const data = await nextMessage(exchange, reader)
  if (data === undefined) throw unimplemented(`missing input message for ${kind} method`)
  if ((await nextMessage(exchange, reader)) === undefined) return data
  throw unimplemented(`received extra input message for ${kind} method`)
}

/** The uncompressed bytes of the next message; undefined at the end, which an envelope can also mark. */
async function nextMessage(exchange: Exchange, reader: EnvelopeReader): Promise<Uint8Array | undefined> {
  const { protocol, codings, method } = exchange
  const envelope = await reader.next()
  if (envelope === undefined || (envelope.flags & protocol.endFlag) !== 0) return undefined
  const { flags, data } = envelope
  if ((flags & compressedFlag) === 0) {
    await turnOfBody(data)
    return data
  }
  if (codings.request === null) throw compressedWithoutCoding(exchange)
  return codings.request.decompress(data, method.maxBodyBytes)
}

// Declaring identity and compressing is a contradiction, for which gRPC prescribes INTERNAL.
function compressedWithoutCoding({ call, protocol }: Exchange): ConnectError {
  const header = protocol.encodingHeader
  const text = `a message is marked as compressed, but ${header} names no coding`
  return call.request.headers[header] === 'identity'
    ? new ConnectError(text, Code.Internal)
    : invalidArgument(header, text)
}

function unimplemented(text: string): ConnectError {
  return new ConnectError(`protocol error: ${text}`, Code.Unimplemented)
}
