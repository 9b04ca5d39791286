import { POOL_BUSY } from './errors.js'
import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.js'

/** Lets no organization have all connections of a pool, so that the others, and whoever signs in, find one. */
export interface OrganizationShares {
  /** Begins the work when it is its turn; rejects as a full pool does if that does not come in time. */
  use<T>(organizationId: string, work: () => Promise<T>): Promise<T>
  /** How many wait for their turn. */
  readonly waiting: number
}

interface Waiter {
  begin(): void
  refuse(): void
}

interface Share {
  /** How much of its work is under way. */
  used: number
  readonly queue: WaitQueue<Waiter>
}

/** Makes the shares: each organization may do `max` things at a time, each of which takes a connection. */
export function createOrganizationShares(max: number, waiting: WaitLimits): OrganizationShares {
  /** Of the organizations that do something now. */
  const shares = new Map<string, Share>()

  const run = async <T>(organizationId: string, share: Share, work: () => Promise<T>): Promise<T> => {
    share.used++
    try {
      return await work()
    } finally {
      share.used--
      const [next] = share.queue.take(1)
      if (next !== undefined) next.begin()
      else if (share.used === 0) shares.delete(organizationId)
    }
  }

  return {
    use: (organizationId, work) => {
      const share = shares.get(organizationId) ?? {
        used: 0,
        queue: createWaitQueue<Waiter>(waiting, (waiter) => waiter.refuse()),
      }
      shares.set(organizationId, share)
      if (share.used < max) return run(organizationId, share, work)
      return new Promise((resolve, reject) => {
        share.queue.add({
          begin: () => resolve(run(organizationId, share, work)),
          refuse: () => reject(new Error(POOL_BUSY)),
        })
      })
    },
    get waiting() {
      return [...shares.values()].reduce((sum, { queue }) => sum + queue.size, 0)
    },
  }
}
