/** A JSON text in pieces, to be put together once. */
export type JsonPieces = readonly string[]

/** Longer texts are encoded piece by piece: joining them first would copy megabytes. */
const LONG_TEXT = 64 * 1024

/** The whole text: as UTF-8 if it is long, otherwise as a string. */
export function joinPieces(pieces: JsonPieces): string | Uint8Array {
  let length = 0
  for (const piece of pieces) length += piece.length
  return length > LONG_TEXT ? bytesOf(pieces) : pieces.join('')
}

function bytesOf(pieces: JsonPieces): Uint8Array {
  let size = 0
  for (const piece of pieces) size += Buffer.byteLength(piece)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const piece of pieces) at += bytes.write(piece, at)
  return bytes
}
