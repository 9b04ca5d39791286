import { POOL_BUSY } from './errors.js'
import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.js'

/** Lets at most so many have a turn at a time. The others wait, first come first served. */
export class Turns {
  readonly #max: number
  readonly #queue: WaitQueue<{ readonly begin: () => void; readonly refuse: (reason: Error) => void }>
  readonly #onIdle: (() => void) | undefined
  #taken = 0

  /** `onIdle` is called when the last turn has ended. */
  constructor(max: number, limits: WaitLimits, onIdle?: () => void) {
    this.#max = max
    this.#queue = createWaitQueue(limits, ({ refuse }) => refuse(new Error(POOL_BUSY)))
    this.#onIdle = onIdle
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** Does the work in its turn. Rejects as a full pool does if that does not come in time, by the deadline at the latest. */
  async use<T>(work: () => Promise<T>, deadline?: number): Promise<T> {
    const turn = this.begin(deadline)
    if (turn !== undefined) await turn
    try {
      return await work()
    } finally {
      this.end()
    }
  }

  /** Begins a turn, as `use` does; undefined if it has begun at once. */
  begin(deadline?: number): Promise<void> | undefined {
    if (this.#taken >= this.#max) {
      return new Promise((begin, refuse) => this.#queue.add({ begin, refuse }, deadline))
    }
    this.#taken++
    return undefined
  }

  /** Ends a turn, so that the next one begins. */
  end(): void {
    const [next] = this.#queue.take(1)
    if (next === undefined) this.#taken--
    else next.begin()
    if (this.#taken === 0) this.#onIdle?.()
  }
}
