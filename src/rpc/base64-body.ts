/** Groups of four characters; padding can end any of them, because each piece of a body is encoded by itself. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/
const PADDED_PIECE = /[^=]+=*/g

/** Makes the decoder of one body, which comes in pieces; what it cannot decode yet, it keeps. */
export function createBase64Decoder() {
  let rest = ''
  return {
    /** The bytes of all groups that have become complete; undefined if the text is not base64. */
    decode: (chunk: Buffer): Buffer | undefined => {
      const text = rest + chunk.toString('latin1')
      const end = text.length - (text.length % 4)
      rest = text.slice(end)
      const whole = text.slice(0, end)
      if (!BASE64.test(whole)) return undefined
      const pieces = whole.match(PADDED_PIECE) ?? []
      return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')))
    },
    /** Whether nothing is left of a group. */
    isComplete: () => rest === '',
  }
}

export function base64Of(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), 'latin1')
}
