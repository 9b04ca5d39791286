import { EventEmitter } from 'node:events'
import { ServiceError } from '../../errors.js'
import { Semaphore } from '../../runtime/semaphore.js'

/** How many calls read at a time after a wait, so that an event that thousands wait for does not block other calls. */
const READERS = 4
/** How many calls of an organization wait at a time, in one process. */
const MAX_WAITING = 1_000
/** After how many seconds a call that `MAX_WAITING` refused may be repeated. */
const RETRY_SECONDS = 5

/** Signals between the calls of one process: which organizations have new events, and which are waited for. */
export class FeedSignals extends EventEmitter<{
  /** This process has given positions to all committed events of an organization. */
  placed: [organizationId: string]
}> {
  readonly #committed = new Set<string>()
  readonly #waiting = new Map<string, Set<Waiter>>()
  readonly #calls = new Map<string, number>()
  /** The places of those who read after waiting. */
  readonly readers = new Semaphore(READERS, { maxWaitMillis: 30_000 })
  #isStopped = false

  /** Takes up a call that waits, until it leaves. Throws `RATE_LIMITED` if its organization has too many. */
  enter(organizationId: string): void {
    const calls = this.#calls.get(organizationId) ?? 0
    if (calls >= MAX_WAITING) {
      throw new ServiceError(
        'RATE_LIMITED',
        `the organization has ${MAX_WAITING} calls that wait for events: end some, or try again`,
        { retryAfterSeconds: RETRY_SECONDS },
      )
    }
    this.#calls.set(organizationId, calls + 1)
  }

  leave(organizationId: string): void {
    const left = (this.#calls.get(organizationId) ?? 0) - 1
    if (left > 0) this.#calls.set(organizationId, left)
    else this.#calls.delete(organizationId)
  }

  /** Whether the service stops: nothing is waited for any more. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The organization may have new events. */
  committed(organizationId: string): void {
    this.#committed.add(organizationId)
  }

  /** The organizations that have committed something since it was last asked. */
  takeCommitted(): string[] {
    const taken = [...this.#committed]
    this.#committed.clear()
    return taken
  }

  /** The organizations whose events somebody waits for. */
  waitedFor(): string[] {
    return [...this.#waiting.keys()]
  }

  get waiters(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** The feed of the organization has got as far as the position. */
  advanced(organizationId: string, position: string): void {
    const last = BigInt(position)
    for (const waiter of this.#waiting.get(organizationId) ?? []) if (waiter.after < last) waiter.resolve(true)
  }

  stop(): void {
    this.#isStopped = true
    for (const waiters of this.#waiting.values()) for (const { resolve } of waiters) resolve(false)
  }

  /**
   * Resolves with true once the feed is beyond the position, or with false after `millis` or when the service stops.
   * Rejects when the signal aborts.
   */
  beyond(organizationId: string, position: string, millis: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      const waiters = this.#waiting.get(organizationId) ?? new Set()
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        waiters.delete(waiter)
        if (waiters.size === 0) this.#waiting.delete(organizationId)
      }
      const waiter: Waiter = {
        after: BigInt(position),
        resolve: (isBeyond) => {
          end()
          resolve(isBeyond)
        },
      }
      const abort = () => {
        end()
        reject(signal.reason)
      }
      const timer = setTimeout(waiter.resolve, millis, false)
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort)
      this.#waiting.set(organizationId, waiters.add(waiter))
    })
  }
}

interface Waiter {
  readonly after: bigint
  readonly resolve: (isBeyond: boolean) => void
}
