import type { FloodKind } from './kind.js'

const KIB = 1024
const text = (content: string) => Buffer.from(content, 'latin1')
const lines = (...each: readonly string[]) => text(each.map((line) => `${line}\r\n`).join(''))
const get = lines('GET /readyz HTTP/1.1', 'host: svc', '')
const chunked = lines(
  'POST /v2/auth/tokens HTTP/1.1',
  'host: svc',
  'content-type: application/json',
  'transfer-encoding: chunked',
  '',
)

const kinds: readonly Omit<FloodKind, 'version'>[] = [
  { name: 'connections that send nothing', begin: text('') },
  { name: 'connections with half a request', begin: text('GET /readyz HTT') },
  { name: 'an endless method', begin: text('G'), again: text('G'.repeat(16 * KIB)) },
  { name: 'an endless path', begin: text('GET /'), again: text('a'.repeat(16 * KIB)) },
  { name: 'an endless header', begin: text('GET / HTTP/1.1\r\nhost: svc\r\nx: '), again: text('a'.repeat(16 * KIB)) },
  {
    name: 'headers without end',
    begin: text('GET / HTTP/1.1\r\nhost: svc\r\n'),
    again: text('a: b\r\n'.repeat(2 * KIB)),
  },
  { name: 'empty lines before a request', begin: text(''), again: text('\r\n'.repeat(8 * KIB)) },
  { name: 'requests without waiting', begin: text(''), again: Buffer.concat(Array<Uint8Array>(200).fill(get)) },
  {
    name: 'requests whose answers are not read',
    begin: text(''),
    again: Buffer.concat(Array<Uint8Array>(200).fill(get)),
    isDeaf: true,
  },
  { name: 'broken requests', begin: lines('GET / HTTP/1.1', 'no header', '') },
  {
    name: 'lengths that contradict each other',
    begin: lines('POST / HTTP/1.1', 'host: svc', 'content-length: 1', 'content-length: 2', ''),
  },
  { name: 'chunks of one byte', begin: chunked, again: text('1\r\n \r\n'.repeat(2 * KIB)) },
  {
    name: 'an endless extension of a chunk',
    begin: Buffer.concat([chunked, text('1;')]),
    again: text('a'.repeat(16 * KIB)),
  },
  {
    name: 'trailers without end',
    begin: Buffer.concat([chunked, text('2\r\n{}\r\n0\r\n')]),
    again: text('a: b\r\n'.repeat(2 * KIB)),
  },
  {
    name: 'expectations',
    begin: text(''),
    again: lines('POST /v2/auth/tokens HTTP/1.1', 'host: svc', 'expect: 100-continue', 'content-length: 2', '', '{}'),
  },
  {
    name: 'upgrades',
    begin: lines(
      'GET /readyz HTTP/1.1',
      'host: svc',
      'connection: upgrade, http2-settings',
      'upgrade: h2c',
      'http2-settings: AAMAAABk',
      '',
    ),
  },
]

/** Floods on HTTP/1.1 (RFC 9112). */
export const http1Floods: readonly FloodKind[] = kinds.map((kind) => ({ version: 'HTTP/1.1', ...kind }))
