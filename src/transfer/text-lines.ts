import { TextDecoder } from 'node:util'
import { encodingFault } from '../protojson/json-text.js'
import { ImportError } from './import-error.js'

export type Chunks = AsyncIterable<Uint8Array | string>

/** One line of a file, without its end. Lines count from 1. */
export interface TextLine {
  readonly line: number
  readonly text: string
}

export const MAX_LINE_BYTES = 4 * 1024 * 1024

const LINE_FEED = 0x0a

/**
 * Splits a stream of UTF-8 into lines, which end in LF or CRLF; blank lines and a byte order mark are skipped. Throws
 * an ImportError for a line that is too long or not UTF-8.
 */
export async function* textLines(chunks: Chunks): AsyncGenerator<TextLine> {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let line = 1
  let parts: Uint8Array[] = []
  let length = 0
  const append = (part: Uint8Array) => {
    length += part.length
    if (length > MAX_LINE_BYTES) throw new ImportError(line, `is longer than ${MAX_LINE_BYTES} bytes`)
    parts.push(part)
  }
  /** Ends the line, and returns it unless it is blank. */
  const endLine = (): TextLine | undefined => {
    let text = textFromBytes(utf8, Buffer.concat(parts), line)
    if (line === 1 && text.startsWith('\uFEFF')) text = text.slice(1)
    if (text.endsWith('\r')) text = text.slice(0, -1)
    const ended = text.trim() === '' ? undefined : { line, text }
    parts = []
    length = 0
    line++
    return ended
  }
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      append(bytes.subarray(start, end))
      const ended = endLine()
      if (ended !== undefined) yield ended
      start = end + 1
    }
    append(bytes.subarray(start))
  }
  const last = endLine()
  if (last !== undefined) yield last
}

function textFromBytes(utf8: TextDecoder, bytes: Uint8Array, line: number): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new ImportError(line, encodingFault(bytes), error)
  }
}
