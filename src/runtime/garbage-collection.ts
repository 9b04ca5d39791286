import { setFlagsFromString } from 'node:v8'

/**
 * Keeps V8 from allocating objects in the old generation because others from the same place in the code have survived.
 * During start-up most objects survive, those that calls have as well, such as Node's wrappers of listeners. Once V8
 * allocates those of each call as old ones, they hold what they refer to, request and response included, until the
 * next full collection, though the call is over. To be called before the first call.
 */
export function allocateAllYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * Has V8 collect the old generation each time that it has grown by half. By default it lets a small heap grow to
 * several times its size first, and keeps the memory that a few long lists took: with both of these settings, eight lists
 * of 10,000 at once take 279 to 286 MB, without them 326 to 368 MB, in turns.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50')
}
