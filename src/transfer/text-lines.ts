import { TextDecoder } from 'node:util'
import { ImportError } from './import-error.js'

/** One line of a file, without its end. Lines count from 1. */
export interface TextLine {
  readonly line: number
  readonly text: string
}

/** The longest line that is accepted, in bytes. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * Splits a stream of UTF-8 into lines, which end in LF or CRLF; blank lines and a byte order mark are skipped. Throws
 * an ImportError for a line that is too long or not UTF-8.
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<TextLine> {
  const decode = createDecoder()
  let line = 1
  let parts: Uint8Array[] = []
  let length = 0
  const append = (part: Uint8Array) => {
    length += part.length
    if (length > MAX_LINE_BYTES) throw new ImportError(line, `is longer than ${MAX_LINE_BYTES} bytes`)
    if (part.length > 0) parts.push(part)
  }
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      append(bytes.subarray(start, end))
      const text = decode(parts, line)
      if (text !== undefined) yield { line, text }
      parts = []
      length = 0
      line++
      start = end + 1
    }
    append(bytes.subarray(start))
  }
  const text = decode(parts, line)
  if (text !== undefined) yield { line, text }
}

function createDecoder(): (parts: readonly Uint8Array[], line: number) => string | undefined {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (parts, line) => {
    const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const text = textFromBytes(utf8, bytes?.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes, line)
    const content = line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text
    return content.trim() === '' ? undefined : content
  }
}

function textFromBytes(utf8: TextDecoder, bytes: Uint8Array | undefined, line: number): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new ImportError(line, 'is not valid UTF-8', error)
  }
}
