import { setFlagsFromString } from 'node:v8'

/**
 * Sets how V8 collects garbage. To be called before the first call.
 *
 * All objects are allocated young, also where others from the same place in the code have survived: old ones keep what
 * they refer to, request and response included, until the next full collection, though their call is over. Together
 * with `Roster` this takes a token look-up from 115 to 82 µs of processor time; either alone changes little.
 *
 * The old generation is collected each time that it has doubled. By default V8 lets a small heap grow to several times
 * its size first, and keeps the memory that a few long lists took: eight lists of 10,000 at once take 279 to 315 MB
 * with this, 326 to 368 MB without. At half as much growth they take 270 to 299 MB, but a list 1.3 times the processor
 * time.
 */
export function tuneGarbageCollection(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString('--heap-growing-percent=100')
}
