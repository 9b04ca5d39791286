import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto'

export type Sealer = ReturnType<typeof createSealer>

export interface SealOptions {
  /** The purpose of the texts: the same key seals differently for another one. */
  readonly purpose: string
  /** From 16, which its use as initialization vector requires, to 32. */
  readonly macBytes: number
  /** Texts are padded to a multiple of this, so that their length reveals little. */
  readonly blockBytes: number
}

const IV_BYTES = 16

/**
 * Makes a sealer. A sealed text is an HMAC-SHA-256 over the context and the text, cut to `macBytes`, followed by the
 * text encrypted with the HMAC as initialization vector: the construction of SIV (RFC 5297), which needs no randomness.
 */
export function createSealer(key: Uint8Array, { purpose, macBytes, blockBytes }: SealOptions) {
  const derived = (use: string) => createHmac('sha256', key).update(`${purpose} ${use}`).digest()
  const authentication = derived('authentication')
  const encryption = derived('encryption')
  const macOf = (context: string, text: Buffer) =>
    createHmac('sha256', authentication).update(context).update('\0').update(text).digest().subarray(0, macBytes)
  /** Counter mode: the same function encrypts and decrypts. */
  const crypt = (mac: Buffer, text: Buffer) =>
    createCipheriv('aes-256-ctr', encryption, mac.subarray(0, IV_BYTES)).update(text)
  return {
    /** The text, not empty and without U+0000, sealed for the context, in base64url. */
    seal: (context: string, text: string): string => {
      const bytes = Buffer.from(text)
      const block = Buffer.concat([bytes], Math.ceil(bytes.length / blockBytes) * blockBytes)
      const mac = macOf(context, block)
      return Buffer.concat([mac, crypt(mac, block)]).toString('base64url')
    },
    /** The text; undefined for anything that `seal` did not return for the same context and key. */
    open: (context: string, sealed: string): string | undefined => {
      const bytes = Buffer.from(sealed, 'base64url')
      // Decoding skips invalid characters, so only a text that is encoded in the same way again is accepted.
      if (bytes.length <= macBytes || bytes.toString('base64url') !== sealed) return undefined
      const mac = bytes.subarray(0, macBytes)
      const text = crypt(mac, bytes.subarray(macBytes))
      if (!timingSafeEqual(mac, macOf(context, text))) return undefined
      const end = text.indexOf(0)
      return text.toString('utf8', 0, end === -1 ? text.length : end)
    },
  }
}
