import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'

/** The clock and the randomness that rules use, passed in so that tests can control them. */
export interface Runtime {
  now(): Date
  /** A new id (UUIDv7, RFC 9562), in creation order. */
  newId(): string
  randomBytes(size: number): Uint8Array<ArrayBuffer>
}

/** The machine's clock and randomness. */
export const systemRuntime: Runtime = { now: () => new Date(), newId: uuidv7, randomBytes }

const MAX_CONSECUTIVE_IDS = 0x1_0000

/**
 * New ids in creation order, with no other id between them: they differ in their last two bytes alone, which count from
 * 0. Throws `RangeError` beyond 65,536.
 */
export function consecutiveIds({ newId }: Pick<Runtime, 'newId'>, count: number): string[] {
  if (count > MAX_CONSECUTIVE_IDS) throw new RangeError(`cannot make ${count} consecutive ids`)
  const prefix = newId().slice(0, -4)
  return Array.from({ length: count }, (_, index) => prefix + index.toString(16).padStart(4, '0'))
}

/** The context of a write: ids for new objects, and what the audit log records about the call. */
export interface WriteContext {
  readonly runtime: Runtime
  readonly requestId: string
  /** The `If-Match` of the request, as it was sent. */
  readonly ifMatch?: string | undefined
}
