import type { OutgoingHttpHeaders } from 'node:http'
import type { Message } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { compressedFlag, createAsyncIterable } from '@connectrpc/connect/protocol'
import type { Call } from '../call/call.js'
import { invokeStreaming, invokeUnary, type StreamingSpec, type UnarySpec } from '../call/invoke.js'
import { headerOf } from '../call/node-http.js'
import { addHeaders, drainRequest, streamHeaders } from '../call/respond.js'
import { createSink, type Sink } from '../call/response-sink.js'
import { type Exchange, writeMessages } from '../call/serve-call.js'
import { addReason } from '../failure/error-reason.js'
import { invalidArgument } from '../protojson/invalid.js'
import { createEnvelopeReader, type EnvelopeReader } from './envelope-reader.js'
import { bytesOfEnvelope, type EnvelopedProtocol, endEnveloped } from './enveloped-protocol.js'
import { type MessageForm, negotiateCodings, type RpcMethod } from './message-codec.js'

/** One call over gRPC, gRPC-Web, or the streams of Connect. */
export type EnvelopedCall = ReturnType<typeof createEnvelopedCall>

export function createEnvelopedCall(method: RpcMethod, protocol: EnvelopedProtocol, form: MessageForm, call: Call) {
  const requested = headerOf(call.request, protocol.encodingHeader)
  const codings = negotiateCodings(call.request, requested, protocol.acceptEncodingHeader)
  let reader: EnvelopeReader | undefined
  return {
    call,
    method,
    protocol,
    form,
    codings,
    /** Begins to read, when the caller is admitted: nothing from a stranger is read. */
    open: () => {
      if (codings.error !== undefined) throw codings.error
      reader = createEnvelopeReader(call.request, method.maxBodyBytes, protocol.isBase64)
      return reader
    },
    stop: () => reader?.stop(),
  }
}

export function unaryExchange(enveloped: EnvelopedCall, spec: UnarySpec): Exchange<Message, Message> {
  const { call, method } = enveloped
  return {
    receive: () => receiveMessage(enveloped, 'unary'),
    invoke: (message) => invokeUnary(spec, method.interceptors, call, message),
    answer: async (message) => endAnswer(enveloped, undefined, [await envelopeOf(enveloped, message)]),
    fail: ({ error }) => endAnswer(enveloped, error, []),
  }
}

export function streamExchange(
  enveloped: EnvelopedCall,
  spec: StreamingSpec,
): Exchange<AsyncIterable<Message>, AsyncIterator<Message>> {
  const { call, method } = enveloped
  let sink: Sink | undefined
  return {
    receive: async () => {
      if (spec.kind === 'server_streaming') {
        const read = await receiveMessage(enveloped, 'server-streaming')
        return () => createAsyncIterable([read()])
      }
      const reader = enveloped.open()
      return () => messagesOf(enveloped, reader)
    },
    invoke: (messages) => invokeStreaming(spec, method.interceptors, call, messages),
    answer: async (messages) => {
      await writeMessages(call, messages, async (message) => {
        const envelope = await envelopeOf(enveloped, message)
        // While it was compressed, the call may have ended, and its response too.
        call.throwIfAborted()
        if (sink === undefined) call.response.writeHead(200, { ...streamHeaders, ...headersOf(enveloped) })
        sink ??= createSink(call.response, undefined)
        await sink.write(envelope)
        return true
      })
      await endAnswer(enveloped, undefined, [])
    },
    fail: ({ error }) => endAnswer(enveloped, error, []),
  }
}

function envelopeOf({ form, protocol, codings }: EnvelopedCall, message: Message): Promise<Uint8Array> {
  const written = form.write(message)
  const data = typeof written === 'string' ? Buffer.from(written) : written
  return bytesOfEnvelope(protocol, { flags: 0, data }, codings.response)
}

function headersOf({ call, protocol, form, codings }: EnvelopedCall): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  addHeaders(headers, call.touchedHeader)
  headers['content-type'] = protocol.typePrefix + form.name
  if (codings.response !== null) headers[protocol.encodingHeader] = codings.response.name
  return headers
}

function endAnswer(
  enveloped: EnvelopedCall,
  error: ConnectError | undefined,
  parts: readonly Uint8Array[],
): Promise<void> {
  const { call, protocol, codings, stop } = enveloped
  if (error !== undefined) addReason(error)
  stop()
  // Before the end: Node would cut a request that no one reads once it is answered.
  drainRequest(call.request)
  const ending = protocol.end(call.touchedTrailer, error)
  return endEnveloped(call.response, protocol, {
    headers: headersOf(enveloped),
    parts,
    ending,
    coding: codings.response,
  })
}

async function receiveMessage(enveloped: EnvelopedCall, kind: string): Promise<() => Message> {
  const reader = enveloped.open()
  const data = await nextMessage(enveloped, reader)
  if (data === undefined) throw unimplemented(`missing input message for ${kind} method`)
  if ((await nextMessage(enveloped, reader)) === undefined) return () => enveloped.form.read(data)
  throw unimplemented(`received extra input message for ${kind} method`)
}

async function* messagesOf(enveloped: EnvelopedCall, reader: EnvelopeReader): AsyncGenerator<Message> {
  for (;;) {
    const data = await nextMessage(enveloped, reader)
    if (data === undefined) return
    yield enveloped.form.read(data)
  }
}

/** The uncompressed bytes of the next message; undefined at the end, which an envelope can also mark. */
async function nextMessage(enveloped: EnvelopedCall, reader: EnvelopeReader): Promise<Uint8Array | undefined> {
  const { protocol, codings, method } = enveloped
  const envelope = await reader.next()
  if (envelope === undefined || (envelope.flags & protocol.endFlag) !== 0) return undefined
  const { flags, data } = envelope
  let plain = data
  if ((flags & compressedFlag) !== 0) {
    if (codings.request === null) throw compressedWithoutCoding(enveloped)
    plain = await codings.request.decompress(data, method.maxBodyBytes)
  }
  await method.bodyTurns(plain)
  return plain
}

// Declaring identity and compressing is a contradiction, for which gRPC prescribes INTERNAL.
function compressedWithoutCoding({ call, protocol }: EnvelopedCall): ConnectError {
  const header = protocol.encodingHeader
  const text = `a message is marked as compressed, but ${header} is not set to a coding`
  return call.request.headers[header] === 'identity'
    ? new ConnectError(text, Code.Internal)
    : invalidArgument(header, text)
}

function unimplemented(text: string): ConnectError {
  return new ConnectError(`protocol error: ${text}`, Code.Unimplemented)
}
