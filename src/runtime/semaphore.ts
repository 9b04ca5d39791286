import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.js'

/** The message of the error for whoever gets no place; layers above keep nothing else of it. */
export const ALL_TAKEN = 'all places are taken'

export interface AcquireOptions {
  /** Its organization. Without one, it may have all that is left. */
  readonly of?: string | undefined
  /** On the clock of `performance.now`: it waits no longer. */
  readonly deadline?: number | undefined
  /** How many places it takes, of which only the first needs to be free. Default one. */
  readonly size?: number
}

/** How places are shared, and how long an organization waits for one. */
export interface SemaphoreLimits extends WaitLimits {
  /** The part that an organization may have of the places that the others leave. Default half. */
  readonly part?: number
}

interface Waiter {
  readonly size: number
  readonly begin: () => void
  readonly refuse: (reason: Error) => void
}

/**
 * A semaphore with a share for each organization. An organization gets at most a part of the places that the others
 * leave, so that there is nearly always a free one for the next organization, however many are taken and however long
 * they last (a dynamic threshold, as switches share their memory between ports). The others wait: the organization with
 * the fewest places is next, and within one whoever came first.
 */
export class Semaphore {
  readonly #max: number
  readonly #part: number
  readonly #limits: WaitLimits
  /** Of those who have any. */
  readonly #takenBy = new Map<string, number>()
  /** Of those who wait, those first who got a place the longest ago. */
  readonly #queues = new Map<string, WaitQueue<Waiter>>()
  #taken = 0
  #onWaited: ((millis: number) => void) | undefined

  constructor(max: number, { part = 1 / 2, ...limits }: SemaphoreLimits = {}) {
    this.#max = max
    this.#part = part
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Calls one listener with how long each waited who got no place at once, whether it came or not. */
  observeWaits(listener: (millis: number) => void): void {
    this.#onWaited = listener
  }

  /** How many more places could be acquired at once. */
  roomFor(of = ''): number {
    const left = this.#max - this.#taken
    if (of === '') return left
    const own = this.#takenBy.get(of) ?? 0
    return Math.max(0, Math.ceil((left + own) * this.#part) - own)
  }

  /** Does the work in a place. Rejects with `ALL_TAKEN` if there is none in time, by the deadline at the latest. */
  async use<T>(work: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const turn = this.acquire(options)
    if (turn !== undefined) await turn
    try {
      return await work()
    } finally {
      this.release(options.of, options.size)
    }
  }

  /** Acquires a place, as `use` does; undefined if there is one at once. */
  acquire({ of = '', deadline, size = 1 }: AcquireOptions = {}): Promise<void> | undefined {
    if (this.roomFor(of) > 0) {
      this.#take(of, size)
      return undefined
    }
    const since = performance.now()
    const turn = new Promise<void>((begin, refuse) => this.#queueOf(of).add({ size, begin, refuse }, deadline))
    return this.#onWaited === undefined ? turn : turn.finally(() => this.#onWaited?.(performance.now() - since))
  }

  /** Gives a place back, or as many as it took, so that the next one gets it. */
  release(of = '', size = 1): void {
    const left = (this.#takenBy.get(of) ?? 0) - size
    if (left > 0) this.#takenBy.set(of, left)
    else this.#takenBy.delete(of)
    this.#taken -= size
    while (this.#beginNext());
  }

  #take(of: string, size: number): void {
    this.#takenBy.set(of, (this.#takenBy.get(of) ?? 0) + size)
    this.#taken += size
  }

  #queueOf(of: string): WaitQueue<Waiter> {
    const queue = this.#queues.get(of) ?? createWaitQueue(this.#limits, ({ refuse }) => refuse(new Error(ALL_TAKEN)))
    this.#queues.set(of, queue)
    return queue
  }

  /** Gives a place to a waiter, if there is one for whom there is room. */
  #beginNext(): boolean {
    let next: string | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [of, queue] of this.#queues) {
      const taken = this.#takenBy.get(of) ?? 0
      if (queue.size === 0) this.#queues.delete(of)
      else if (taken < fewest && this.roomFor(of) > 0) [next, fewest] = [of, taken]
    }
    const queue = next === undefined ? undefined : this.#queues.get(next)
    const [waiter] = queue?.take(1) ?? []
    if (next === undefined || queue === undefined || waiter === undefined) return false
    this.#queues.delete(next)
    this.#queues.set(next, queue)
    this.#take(next, waiter.size)
    waiter.begin()
    return true
  }
}
