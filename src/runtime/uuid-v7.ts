import { v7 } from 'uuid'

/** What new ids are made from. */
export interface UuidSource {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

/** Random bytes are drawn for this many ids at a time: drawing them costs more than the rest of an id. */
const POOLED_IDS = 256
const RANDOM_BYTES = 16
const MAX_COUNTER = 0xffffffff

/**
 * Makes a generator of ids (UUIDv7, RFC 9562 section 5.7) with a counter of 32 bits, which starts again at random, in
 * its lower half, every millisecond. Each id is greater than all before it, even if the clock is set back.
 */
export function createUuidV7({ now, randomBytes }: UuidSource): () => string {
  let pool = new Uint8Array(0)
  let used = 0
  let msecs = 0
  let seq = 0
  return () => {
    if (used === pool.length) {
      pool = Uint8Array.from(randomBytes(POOLED_IDS * RANDOM_BYTES))
      used = 0
    }
    const random = pool.subarray(used, used + RANDOM_BYTES)
    used += RANDOM_BYTES
    const clock = now()
    if (clock > msecs) {
      msecs = clock
      seq = new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1
    } else if (seq === MAX_COUNTER) {
      msecs++
      seq = 0
    } else seq++
    return v7({ msecs, seq, random })
  }
}
