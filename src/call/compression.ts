import { promisify } from 'node:util'
import {
  type BrotliCompress,
  brotliCompress,
  brotliDecompress,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  type Deflate,
  deflate,
  type Gzip,
  gunzip,
  gzip,
  inflate,
} from 'node:zlib'
import { invalidArgument } from '../protojson/invalid.js'
import { bodyTooLarge } from './http-failure.js'

/** A content coding that is supported both ways; `identity` is the absence of one. */
export type Coding = 'gzip' | 'deflate' | 'br'

/** The codings in the order in which the server prefers them at equal weight. */
export const CODINGS: readonly Coding[] = ['gzip', 'br', 'deflate']

/** The smallest message that is compressed, in bytes, as in Connect. */
export const COMPRESS_MIN_BYTES = 1024

const BROTLI_QUALITY = 4
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
const compressors = {
  gzip: promisify<Uint8Array, Buffer>(gzip),
  deflate: promisify<Uint8Array, Buffer>(deflate),
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: brotliParams }),
}
const decompressors = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** The coding to answer in by Accept-Encoding (RFC 9110, section 12.5.3); undefined for none. */
export function negotiateCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const preferences = parsePreferences(header)
  const weightOf = (name: string): number | undefined => preferences.find((each) => each.name === name)?.weight
  let best: Coding | undefined
  let bestWeight = weightOf('identity') ?? 0
  for (const coding of CODINGS) {
    const weight = weightOf(coding) ?? (coding === 'gzip' ? weightOf('x-gzip') : undefined) ?? weightOf('*') ?? 0
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === undefined)) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

/** The coding of a Content-Encoding header, undefined for none; `unsupported` is any other one, or several. */
export function parseContentEncoding(header: string | undefined): Coding | 'unsupported' | undefined {
  if (header === undefined) return undefined
  const names = header.split(',').map((name) => name.trim().toLowerCase())
  const [name, ...more] = names.filter((each) => each !== '' && each !== 'identity')
  if (name === undefined) return undefined
  const coding = name === 'x-gzip' ? 'gzip' : CODINGS.find((known) => known === name)
  return more.length > 0 ? 'unsupported' : (coding ?? 'unsupported')
}

export function compress(coding: Coding, bytes: Uint8Array): Promise<Buffer> {
  return compressors[coding](bytes)
}

/** Decompresses a whole body, or what is named: 413 beyond `maxBytes`, `invalid_argument` for broken data. */
export async function decompress(
  coding: Coding,
  bytes: Uint8Array,
  maxBytes: number,
  name: 'body' | 'message' = 'body',
): Promise<Buffer> {
  try {
    return await decompressors[coding](bytes, { maxOutputLength: Math.max(maxBytes, 1) })
  } catch (error) {
    if (isTooLarge(error)) throw bodyTooLarge(maxBytes)
    throw invalidArgument('', `the ${name} is not valid ${coding} data`)
  }
}

// By its code: its class differs from ours if a test runner gives every file globals of its own.
function isTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

/** Creates a compressor for a streamed body, to be flushed after every message. */
export function createCompressor(coding: Coding): Gzip | Deflate | BrotliCompress {
  if (coding === 'gzip') return createGzip()
  return coding === 'deflate' ? createDeflate() : createBrotliCompress({ params: brotliParams })
}

/** Parses weighted names (RFC 9110, section 12.4.2): in lower case, weights from 0 to 1, without other parameters. */
export function parsePreferences(header: string) {
  return header.split(',').flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    if (name === '') return []
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const weight = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1))
    return { name, weight: weight >= 0 && weight <= 1 ? weight : 0 }
  })
}
