/** How long a queue can get, and how long anyone waits in it. */
export interface WaitLimits {
  readonly maxWaiting: number
  readonly maxWaitMillis: number
}

/** Those who wait for something, first come first served. */
export interface WaitQueue<Waiter> {
  readonly size: number
  /** Refuses the waiter at once if the queue is full. */
  add(waiter: Waiter): void
  /** Takes out the first waiters, at most `count`. */
  take(count: number): Waiter[]
}

/** Makes a queue; `refuse` is called once for each waiter that is not, or no longer, kept. */
export function createWaitQueue<Waiter>(
  { maxWaiting, maxWaitMillis }: WaitLimits,
  refuse: (waiter: Waiter) => void,
): WaitQueue<Waiter> {
  // A list, not a map: the tables of a map that changes with every call keep those who have left alive.
  const waiting: { readonly waiter: Waiter; readonly came: number }[] = []
  /** One for all, set by the first waiter and again when it fires. Without waiters it keeps no process from ending. */
  let timer: NodeJS.Timeout | undefined

  const refuseLate = () => {
    const now = performance.now()
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const left = first.came + maxWaitMillis - now
      if (left > 0) {
        timer = setTimeout(refuseLate, left)
        return
      }
      waiting.shift()
      refuse(first.waiter)
    }
    timer = undefined
  }

  return {
    get size() {
      return waiting.length
    },
    add: (waiter) => {
      if (waiting.length >= maxWaiting) return refuse(waiter)
      waiting.push({ waiter, came: performance.now() })
      if (timer === undefined) timer = setTimeout(refuseLate, maxWaitMillis)
      else if (waiting.length === 1) timer.ref()
    },
    take: (count) => {
      const taken = waiting.splice(0, count).map(({ waiter }) => waiter)
      if (waiting.length === 0) timer?.unref()
      return taken
    },
  }
}
