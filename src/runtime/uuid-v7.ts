/** What new ids are made from. */
export interface UuidSource {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

/** Random bytes are asked for this many ids at a time: asking costs more than the rest of an id. */
const POOLED_IDS = 256
const RANDOM_BYTES = 10
/** The counter has 32 bits and starts in the lower half, so that it can count. */
const MAX_COUNTER = 0xffffffff

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Makes a generator of ids (UUIDv7, RFC 9562 section 5.7): 48 bits of time, a counter of 32 bits that starts again at
 * random every millisecond, 42 random bits. Each id is greater than all before it, even if the clock is set back.
 */
export function createUuidV7({ now, randomBytes }: UuidSource): () => string {
  let pool = new Uint8Array(0)
  let used = 0
  let time = 0
  let counter = 0
  return () => {
    if (used + RANDOM_BYTES > pool.length) {
      pool = Uint8Array.from(randomBytes(POOLED_IDS * RANDOM_BYTES))
      used = 0
    }
    const at = (index: number) => pool[used + index] ?? 0
    const clock = now()
    if (clock > time) {
      time = clock
      counter = ((at(6) << 24) | (at(7) << 16) | (at(8) << 8) | at(9)) & 0x7fffffff
    } else if (counter === MAX_COUNTER) {
      time++
      counter = 0
    } else counter++
    const high = Math.floor(time / 0x10000)
    const low = time % 0x10000
    const byte = (value: number) => hex[value & 0xff] ?? ''
    const random = byte(at(1)) + byte(at(2)) + byte(at(3)) + byte(at(4)) + byte(at(5))
    const text = `${byte(high >>> 24)}${byte(high >>> 16)}${byte(high >>> 8)}${byte(high)}-${byte(low >>> 8)}${byte(low)}-${
      // The version and the upper 12 bits of the counter, the variant and the next 14, the last 6 and random bits.
      byte(0x70 | (counter >>> 28)) + byte(counter >>> 20)
    }-${byte(0x80 | ((counter >>> 14) & 0x3f))}${byte(counter >>> 6)}-${byte(((counter & 0x3f) << 2) | (at(0) & 3))}${random}`
    used += RANDOM_BYTES
    return text
  }
}
