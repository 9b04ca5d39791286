import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { MAX_LINE_BYTES, type TextLine, textLines } from '../../src/transfer/text-lines.js'

async function linesOf(...chunks: (Uint8Array | string)[]): Promise<TextLine[]> {
  const lines: TextLine[] = []
  for await (const line of textLines(chunksOf(chunks))) lines.push(line)
  return lines
}

async function* chunksOf(chunks: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array | string> {
  yield* chunks
}

describe('lines', () => {
  it('end in LF or CRLF, and the last one may end without either', async () => {
    expect(await linesOf('a\nb\r\nc')).toEqual([
      { line: 1, text: 'a' },
      { line: 2, text: 'b' },
      { line: 3, text: 'c' },
    ])
  })

  it('with only white space are counted and skipped', async () => {
    expect(await linesOf('\n \t\na\n\r\nb\n\n')).toEqual([
      { line: 3, text: 'a' },
      { line: 5, text: 'b' },
    ])
  })

  it('may be split into chunks anywhere, even inside a character', async () => {
    const bytes = Buffer.from('gül\r\n花\n')
    expect(await linesOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
      { line: 1, text: 'gül' },
      { line: 2, text: '花' },
    ])
  })

  it('lose a byte order mark only at the very beginning', async () => {
    expect(await linesOf('\uFEFFa\n\uFEFFb')).toEqual([
      { line: 1, text: 'a' },
      { line: 2, text: '\uFEFFb' },
    ])
  })

  it('that are not UTF-8 are refused with their number', async () => {
    await expect(linesOf('a\n', Uint8Array.of(0xc3, 0x28, 0x0a))).rejects.toThrow('line 2: is not valid UTF-8')
    await expect(linesOf(Buffer.from('\uFEFFa\n', 'utf16le'))).rejects.toThrow('line 1: is UTF-16')
    await expect(linesOf(gzipSync('a\n'))).rejects.toThrow('line 1: is compressed with gzip')
  })

  it('that are too long are refused before they end', async () => {
    const piece = 'x'.repeat(MAX_LINE_BYTES / 4)
    let pieces = 0
    const endless = async function* () {
      yield 'a\n'
      for (;;) {
        pieces++
        yield piece
      }
    }
    const read = async () => {
      for await (const line of textLines(endless())) expect(line.text).toBe('a')
    }
    await expect(read()).rejects.toThrow(`line 2: is longer than ${MAX_LINE_BYTES} bytes`)
    expect(pieces).toBe(5)
  })
})
