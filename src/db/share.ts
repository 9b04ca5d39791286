import { POOL_BUSY } from './errors.js'
import { createWaitQueue, type WaitLimits } from './wait-queue.js'

/** Lets at most so many pieces of work run at a time. The others wait for their turn. */
export interface Share {
  /**
   * Begins the work when it is its turn. Rejects as a full pool does if that does not come in time: by the deadline, if
   * there is one, on the clock of `performance.now`.
   */
  use<T>(work: () => Promise<T>, deadline?: number): Promise<T>
  /** How many wait for their turn. */
  readonly waiting: number
  /** Whether no work runs. */
  readonly isIdle: boolean
}

interface Turn {
  begin(): void
  refuse(): void
}

/** Makes a share of `max` pieces of work at a time. */
export function createShare(max: number, limits: WaitLimits): Share {
  const queue = createWaitQueue<Turn>(limits, (turn) => turn.refuse())
  let running = 0
  const passOn = () => queue.take(1)[0]?.begin()
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    running++
    try {
      return await work()
    } finally {
      running--
      passOn()
    }
  }
  return {
    use: (work, deadline) => {
      if (running < max) return run(work)
      return new Promise((resolve, reject) => {
        let isLate = false
        const refuse = () => {
          isLate = true
          reject(new Error(POOL_BUSY))
        }
        const timer = deadline === undefined ? undefined : setTimeout(refuse, deadline - performance.now())
        const begin = () => {
          clearTimeout(timer)
          if (isLate) passOn()
          else resolve(run(work))
        }
        queue.add({ begin, refuse })
      })
    },
    get waiting() {
      return queue.size
    },
    get isIdle() {
      return running === 0
    },
  }
}

/** A share for each name, such as that of an organization. */
export interface Shares {
  use<T>(name: string, work: () => Promise<T>): Promise<T>
  readonly waiting: number
}

/** Makes shares of `max` pieces of work at a time for each name. */
export function createShares(max: number, limits: WaitLimits): Shares {
  /** Of those who do something now. */
  const shares = new Map<string, Share>()
  return {
    use: async (name, work) => {
      const share = shares.get(name) ?? createShare(max, limits)
      shares.set(name, share)
      try {
        return await share.use(work)
      } finally {
        if (share.isIdle) shares.delete(name)
      }
    },
    get waiting() {
      return [...shares.values()].reduce((sum, { waiting }) => sum + waiting, 0)
    },
  }
}
