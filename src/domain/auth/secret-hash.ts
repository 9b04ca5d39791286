import { createHmac, hash as hashOnce } from 'node:crypto'

/** Keys of the hash, kept outside the database. */
export interface Peppers {
  /** Used for everything stored from now on; without it, plain SHA-256 is. */
  readonly current?: string | undefined
  /** Recognizes what was stored while it was the current pepper. */
  readonly previous?: string | undefined
}

export type SecretHash = Uint8Array<ArrayBuffer>

export type SecretHasher = ReturnType<typeof createSecretHasher>

/**
 * SHA-256, or HMAC-SHA-256 with a pepper. Hashes stored without a pepper, or with the previous one, are still
 * recognized.
 */
export function createSecretHasher({ current, previous }: Peppers = {}) {
  const hash = hashWith(current)
  const older = previous === undefined ? [] : [hashWith(previous)]
  const hashes = [hash, ...older, ...(current === undefined ? [] : [hashWith(undefined)])]
  return {
    hash,
    /** Every hash under which the secret may be stored, starting with that of `hash`; always the same number. */
    candidates: (secret: string) => hashes.map((each) => each(secret)),
  }
}

function hashWith(pepper: string | undefined): (secret: string) => Buffer<ArrayBuffer> {
  if (pepper === undefined) return (secret) => hashOnce('sha256', secret, 'buffer')
  return (secret) => createHmac('sha256', pepper).update(secret).digest()
}
