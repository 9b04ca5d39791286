import type { Runtime } from '../../runtime/runtime.js'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const RANDOM_CHARACTERS = 16

/** A new short handle: the prefix and 80 random bits, such as `pri_8k2m0q4t6w1x3z5b`. */
export function newScopedId(prefix: 'pri' | 'ares', runtime: Runtime): string {
  let handle = `${prefix}_`
  for (const byte of runtime.randomBytes(RANDOM_CHARACTERS)) handle += ALPHABET.charAt(byte % ALPHABET.length)
  return handle
}
