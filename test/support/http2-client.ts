import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { frame } from './http2-frame.js'

const [DATA, HEADERS, SETTINGS] = [0, 1, 4]
const END_STREAM = 1
const END_HEADERS = 4

/** A received frame, without its payload. */
export interface ReceivedFrame {
  readonly type: 'DATA' | 'HEADERS'
  readonly length: number
  readonly endsStream: boolean
}

/** The frames that open a stream: header fields, without the tables of HPACK, and a body if there is one. */
export function requestFrames(
  stream: number,
  fields: Readonly<Record<string, string>>,
  body?: Uint8Array,
  bodyEnds = true,
): Buffer {
  const block = Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]),
  )
  const head = frame(HEADERS, body === undefined ? END_STREAM | END_HEADERS : END_HEADERS, stream, block)
  return body === undefined ? head : Buffer.concat([head, frame(DATA, bodyEnds ? END_STREAM : 0, stream, body)])
}

/** The beginning of a connection whose streams may each receive `window` bytes. */
export function preface(window: number): Buffer {
  const setting = Buffer.alloc(6)
  setting.writeUInt16BE(4)
  setting.writeUInt32BE(window, 2)
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(SETTINGS, 0, 0, setting)])
}

/** Opens a connection that sends raw bytes. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** The frames of answers in what was received, by stream. */
export function answerFrames(bytes: Buffer): Map<number, ReceivedFrame[]> {
  const streams = new Map<number, ReceivedFrame[]>()
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const type = bytes[at + 3]
    if (type !== DATA && type !== HEADERS) continue
    const stream = bytes.readUInt32BE(at + 5)
    const received: ReceivedFrame = {
      type: type === DATA ? 'DATA' : 'HEADERS',
      length: bytes.readUIntBE(at, 3),
      endsStream: ((bytes[at + 4] ?? 0) & END_STREAM) !== 0,
    }
    streams.set(stream, [...(streams.get(stream) ?? []), received])
  }
  return streams
}

/** An HPACK string, not compressed (RFC 7541 section 5.2), shorter than 127 + 16,384 bytes. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes])
  const rest = bytes.length - 127
  const length = rest < 128 ? Buffer.of(127, rest) : Buffer.of(127, (rest % 128) + 128, Math.floor(rest / 128))
  return Buffer.concat([length, bytes])
}
