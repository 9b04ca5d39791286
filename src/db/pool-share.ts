import type pg from 'pg'
import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.js'

/** Gives connections, and takes them back when they are released. */
export interface ConnectionSource {
  /** Whether somebody who comes now has to wait for others. */
  readonly isFull: boolean
  connect(callback: ConnectCallback): void
}

/** Called once, with a connection or with the reason why there is none. */
export type ConnectCallback = (error: unknown, client: pg.PoolClient | undefined) => void

/**
 * A part of a pool's connections, for work that keeps each of them long: others find one free meanwhile, and what
 * would only wait in the database waits before it.
 */
export class PoolShare implements ConnectionSource {
  readonly #pool: ConnectionSource
  readonly #max: number
  readonly #queue: WaitQueue<ConnectCallback>
  #held = 0

  /** `refused` is told to whoever is not, or no longer, waited for. */
  constructor(pool: ConnectionSource, max: number, waiting: WaitLimits, refused: () => Error) {
    this.#pool = pool
    this.#max = max
    this.#queue = createWaitQueue<ConnectCallback>(waiting, (callback) => callback(refused(), undefined))
  }

  get isFull(): boolean {
    return this.#held >= this.#max || this.#pool.isFull
  }

  /** How many wait for the share. */
  get waiting(): number {
    return this.#queue.size
  }

  connect(callback: ConnectCallback): void {
    if (this.#held < this.#max) this.#connect(callback)
    else this.#queue.add(callback)
  }

  #connect(callback: ConnectCallback): void {
    this.#held++
    this.#pool.connect((error, client) => {
      if (client === undefined) {
        this.#letNextOne()
        return callback(error, undefined)
      }
      const { release } = client
      client.release = (cause) => {
        release(cause)
        this.#letNextOne()
      }
      callback(undefined, client)
    })
  }

  #letNextOne(): void {
    this.#held--
    for (const callback of this.#queue.take(1)) this.#connect(callback)
  }
}
