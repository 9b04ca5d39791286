import { POOL_BUSY } from './errors.js'
import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.js'

/** Lets at most so many have a turn at a time. The others wait, first come first served. */
export class Turns {
  readonly #max: number
  readonly #limits: WaitLimits
  /** Made when someone has to wait, since each call begins with the turns of its organization. */
  #queue: WaitQueue<(refusal?: Error) => void> | undefined
  readonly #onIdle: (() => void) | undefined
  #taken = 0

  /** `onIdle` is called when the last turn has ended. */
  constructor(max: number, limits: WaitLimits, onIdle?: () => void) {
    this.#max = max
    this.#limits = limits
    this.#onIdle = onIdle
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#queue?.size ?? 0
  }

  get isFull(): boolean {
    return this.#taken >= this.#max
  }

  /** Calls back when it is the caller's turn, or with an error if that does not come in time. */
  take(begin: (refusal?: Error) => void): void {
    if (this.isFull) {
      this.#queue ??= createWaitQueue(this.#limits, (refuse) => refuse(new Error(POOL_BUSY)))
      this.#queue.add(begin)
    } else {
      this.#taken++
      begin()
    }
  }

  /** Ends a turn, so that the next one begins. */
  end(): void {
    const [next] = this.#queue?.take(1) ?? []
    if (next === undefined) this.#taken--
    else next()
    if (this.#taken === 0) this.#onIdle?.()
  }

  /** Does the work in its turn. Rejects as a full pool does if that does not come in time, by the deadline at the latest. */
  async use<T>(work: () => Promise<T>, deadline?: number): Promise<T> {
    await this.begin(deadline)
    try {
      return await work()
    } finally {
      this.end()
    }
  }

  /** Begins a turn, as `use` does. */
  async begin(deadline?: number): Promise<void> {
    if (this.isFull) await this.#takeBy(deadline)
    else this.#taken++
  }

  #takeBy(deadline: number | undefined): Promise<Turns> {
    return byDeadline({
      deadline,
      ask: (callback) => this.take((refusal) => callback(refusal, this)),
      tooLate: () => new Error(POOL_BUSY),
      giveBack: () => this.end(),
    })
  }
}

/** What is asked for, and given or refused by a callback. */
interface Asked<T> {
  /** On the clock of `performance.now`; undefined is as long as it takes. */
  readonly deadline: number | undefined
  readonly ask: (callback: (refusal: Error | undefined, given: T | undefined) => void) => void
  readonly tooLate: () => Error
  /** Takes what is given after the deadline. */
  readonly giveBack: (given: T) => void
}

/** Resolves with what is asked for if it is given by the deadline. */
export function byDeadline<T>({ deadline, ask, tooLate, giveBack }: Asked<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const refuse = () => {
      isLate = true
      reject(tooLate())
    }
    const timer = deadline === undefined ? undefined : setTimeout(refuse, deadline - performance.now())
    ask((refusal, given) => {
      clearTimeout(timer)
      if (refusal !== undefined || given === undefined) reject(refusal)
      else if (isLate) giveBack(given)
      else resolve(given)
    })
  })
}
