/** How long a queue can get, and how long anyone waits in it. Default: without an end. */
export interface WaitLimits {
  readonly maxWaiting?: number
  readonly maxWaitMillis?: number
}

/** Waiters in the order of their arrival. */
export type WaitQueue<Waiter> = ReturnType<typeof createWaitQueue<Waiter>>

/** Makes a queue; `refuse` is called once for each waiter that is not, or no longer, kept. */
export function createWaitQueue<Waiter>(limits: WaitLimits, refuse: (waiter: Waiter) => void) {
  const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMillis = Number.POSITIVE_INFINITY } = limits
  // A list, not a map: the tables of a map that changes with every call keep those who have left alive.
  const waiting: { readonly waiter: Waiter; readonly timer: NodeJS.Timeout | undefined }[] = []
  return {
    get size() {
      return waiting.length
    },
    /** Refuses the waiter at once if the queue is full. `deadline` is on the clock of `performance.now`. */
    add: (waiter: Waiter, deadline = Number.POSITIVE_INFINITY) => {
      if (waiting.length >= maxWaiting) return refuse(waiter)
      const giveUp = () => {
        waiting.splice(waiting.indexOf(entry), 1)
        refuse(waiter)
      }
      const millis = Math.min(maxWaitMillis, deadline - performance.now())
      const entry = { waiter, timer: Number.isFinite(millis) ? setTimeout(giveUp, millis) : undefined }
      waiting.push(entry)
    },
    /** Takes out the first waiters, at most `count`. */
    take: (count: number): Waiter[] =>
      waiting.splice(0, count).map(({ waiter, timer }) => {
        clearTimeout(timer)
        return waiter
      }),
  }
}
