import { createHash, createHmac } from 'node:crypto'

/** Keys of the hash that are kept outside of the database. */
export interface Peppers {
  /** Hashes whatever is stored from now on; without it nothing is mixed in. */
  readonly current?: string | undefined
  /** Recognizes what was stored while it was the current one. */
  readonly previous?: string | undefined
}

/** Hashes secrets and tokens, all of which have 256 random bits: no salt and no slow hash is needed. */
export interface SecretHasher {
  /** The hash to store. */
  hash(secret: string): Buffer
  /** Every hash under which the secret may be stored, that of `hash` first; always as many. */
  candidates(secret: string): Buffer[]
}

/**
 * SHA-256, or HMAC-SHA-256 where there is a pepper. What was stored without a pepper, or with the previous one, is still
 * recognized.
 */
export function createSecretHasher({ current, previous }: Peppers = {}): SecretHasher {
  const hash = hashWith(current)
  const older = previous === undefined ? [] : [hashWith(previous)]
  const hashes = [hash, ...older, ...(current === undefined ? [] : [hashWith(undefined)])]
  return { hash, candidates: (secret) => hashes.map((each) => each(secret)) }
}

function hashWith(pepper: string | undefined): (secret: string) => Buffer {
  if (pepper === undefined) return (secret) => createHash('sha256').update(secret).digest()
  return (secret) => createHmac('sha256', pepper).update(secret).digest()
}
