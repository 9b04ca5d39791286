/** How long a queue may get, and how long anybody waits in it. */
export interface WaitLimits {
  readonly maxWaiting: number
  readonly maxWaitMillis: number
}

/** Those who wait for something, first come first served. */
export interface WaitQueue<Waiter> {
  readonly size: number
  /** Refuses the waiter at once where the queue is full. */
  add(waiter: Waiter): void
  /** Takes out the first ones, at most so many. */
  take(count: number): Waiter[]
}

/** Makes a queue; `refuse` is told once about each waiter that it does not keep, or no longer. */
export function createWaitQueue<Waiter>(
  { maxWaiting, maxWaitMillis }: WaitLimits,
  refuse: (waiter: Waiter) => void,
): WaitQueue<Waiter> {
  /** The waiters in the order in which they came, with the time of each. */
  const cameAt = new Map<Waiter, number>()
  /** One for all, set by the first: it looks again when it has gone off. Without waiters it keeps no process from ending. */
  let timer: NodeJS.Timeout | undefined

  const refuseLate = () => {
    const now = performance.now()
    for (const [waiter, came] of cameAt) {
      const left = came + maxWaitMillis - now
      if (left > 0) {
        timer = setTimeout(refuseLate, left)
        return
      }
      cameAt.delete(waiter)
      refuse(waiter)
    }
    timer = undefined
  }

  return {
    get size() {
      return cameAt.size
    },
    add: (waiter) => {
      if (cameAt.size >= maxWaiting) return refuse(waiter)
      cameAt.set(waiter, performance.now())
      if (timer === undefined) timer = setTimeout(refuseLate, maxWaitMillis)
      else if (cameAt.size === 1) timer.ref()
    },
    take: (count) => {
      const taken: Waiter[] = []
      for (const waiter of cameAt.keys()) {
        if (taken.length === count) break
        cameAt.delete(waiter)
        taken.push(waiter)
      }
      if (cameAt.size === 0) timer?.unref()
      return taken
    },
  }
}
