import { frame } from '../../support/http2-frame.js'
import type { FloodKind } from './kind.js'

// Frames of RFC 9113 section 6, and header blocks of RFC 7541.

const DATA = 0
const HEADERS = 1
const PRIORITY = 2
const RST_STREAM = 3
const SETTINGS = 4
const PING = 6
const GOAWAY = 7
const WINDOW_UPDATE = 8
const CONTINUATION = 9
const UNKNOWN = 0x42
const END_STREAM = 0x1
const END_HEADERS = 0x4
/** RST_STREAM of a client that has changed its mind. */
const CANCEL = 8
/** The most streams of a connection whose requests are made in advance. */
const STREAMS = 200

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const repeated = (part: Uint8Array, times: number) => Buffer.concat(Array<Uint8Array>(times).fill(part))
/** Client streams have odd numbers. */
const onStreams = (parts: (stream: number) => readonly Uint8Array[]) =>
  Buffer.concat(Array.from({ length: STREAMS }, (_, index) => Buffer.concat(parts(2 * index + 1))))

const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(SETTINGS, 0, 0)])
/** SETTINGS_INITIAL_WINDOW_SIZE of 0: the client takes no body. */
const deafPreface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])),
])

/** A field whose name has an index in the static table, not added to the dynamic one; both are short. */
const field = (name: number, value: string) => Buffer.from([name, value.length, ...Buffer.from(value)])
const [PATH, AUTHORITY] = [4, 1]
const [METHOD_GET, METHOD_POST, SCHEME_HTTP] = [0x82, 0x83, 0x86]
const requestBlock = (method: number, path: string) =>
  Buffer.concat([Buffer.from([method, SCHEME_HTTP]), field(PATH, path), field(AUTHORITY, 'svc')])
const get = requestBlock(METHOD_GET, '/readyz')
const post = requestBlock(METHOD_POST, '/v2/auth/tokens')
/** A field `x` of 100 bytes that is added to the dynamic table, and then named by its index there. */
const remembered = Buffer.concat([Buffer.from([0x40, 1, 0x78, 100]), Buffer.alloc(100, 'a')])
const REMEMBERED = 0xbe

const kinds: readonly Omit<FloodKind, 'version'>[] = [
  { name: 'PING', begin: preface, again: repeated(frame(PING, 0, 0, Buffer.alloc(8)), 500) },
  { name: 'SETTINGS', begin: preface, again: repeated(frame(SETTINGS, 0, 0, Buffer.from([0, 1, 0, 0, 0x10, 0])), 500) },
  { name: 'SETTINGS without content', begin: preface, again: repeated(frame(SETTINGS, 0, 0), 500) },
  { name: 'WINDOW_UPDATE', begin: preface, again: repeated(frame(WINDOW_UPDATE, 0, 0, uint32(1)), 500) },
  { name: 'PRIORITY', begin: preface, again: onStreams((stream) => [frame(PRIORITY, 0, stream, Buffer.alloc(5, 1))]) },
  { name: 'GOAWAY', begin: preface, again: repeated(frame(GOAWAY, 0, 0, Buffer.alloc(8)), 500) },
  { name: 'frames of no known type', begin: preface, again: repeated(frame(UNKNOWN, 0, 0, Buffer.alloc(16)), 500) },
  {
    name: 'RST_STREAM of streams that never were',
    begin: Buffer.concat([preface, frame(RST_STREAM, 0, 1, uint32(CANCEL))]),
  },
  {
    name: 'requests that are cancelled at once',
    begin: Buffer.concat([
      preface,
      onStreams((stream) => [
        frame(HEADERS, END_STREAM | END_HEADERS, stream, get),
        frame(RST_STREAM, 0, stream, uint32(CANCEL)),
      ]),
    ]),
  },
  {
    name: 'requests all at once',
    begin: Buffer.concat([preface, onStreams((stream) => [frame(HEADERS, END_STREAM | END_HEADERS, stream, get)])]),
  },
  {
    name: 'requests whose answers are not taken',
    begin: Buffer.concat([deafPreface, onStreams((stream) => [frame(HEADERS, END_STREAM | END_HEADERS, stream, get)])]),
    again: frame(PING, 0, 0, Buffer.alloc(8)),
    isDeaf: true,
  },
  {
    name: 'CONTINUATION without end',
    begin: Buffer.concat([preface, frame(HEADERS, 0, 1, get)]),
    again: repeated(
      frame(CONTINUATION, 0, 1, Buffer.concat([Buffer.from([0x00, 1, 0x78, 100]), Buffer.alloc(100, 'a')])),
      100,
    ),
  },
  {
    name: 'CONTINUATION without content',
    begin: Buffer.concat([preface, frame(HEADERS, 0, 1, get)]),
    again: repeated(frame(CONTINUATION, 0, 1), 500),
  },
  {
    name: 'headers that name one another',
    begin: Buffer.concat([
      preface,
      frame(HEADERS, END_STREAM | END_HEADERS, 1, Buffer.concat([get, remembered, Buffer.alloc(16_000, REMEMBERED)])),
    ]),
  },
  {
    name: 'DATA without content',
    begin: Buffer.concat([preface, frame(HEADERS, END_HEADERS, 1, post)]),
    again: repeated(frame(DATA, 0, 1), 500),
  },
  {
    name: 'DATA beyond the window',
    begin: Buffer.concat([preface, frame(HEADERS, END_HEADERS, 1, post)]),
    again: frame(DATA, 0, 1, Buffer.alloc(16_384)),
  },
  { name: 'a preface, then noise', begin: preface, again: Buffer.alloc(16_384, 0xff) },
]

/** Floods on HTTP/2. */
export const http2Floods: readonly FloodKind[] = kinds.map((kind) => ({ version: 'HTTP/2', ...kind }))
