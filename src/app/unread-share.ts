import { isGone, type NodeResponse } from '../call/node-http.js'
import { ServiceError } from '../errors.js'
import { Semaphore } from '../runtime/semaphore.js'

/** How many bytes of responses wait in a process for clients to read them; one organization has at most half of it. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024

/** Shares what this process keeps of responses that clients have not read yet. */
export function createUnreadShare() {
  const unread = new Semaphore(MAX_UNREAD_BYTES)
  return {
    /** Throws `SERVICE_UNAVAILABLE` if clients of an organization leave too much unread to be sent more. */
    requireRoom: (organizationId: string): void => {
      if (unread.roomFor(organizationId) > 0) return
      throw new ServiceError(
        'SERVICE_UNAVAILABLE',
        'clients of the organization have not read their responses; read them, and try again',
        { retryAfterSeconds: 1 },
      )
    },
    /** Counts what is left of a response that has been sent, until it is read or cut off. */
    add: (organizationId: string, response: NodeResponse): void => {
      const size = response.writableLength
      if (size === 0 || isGone(response) || unread.roomFor(organizationId) === 0) return
      void unread.acquire({ of: organizationId, size })
      response.once('close', () => unread.release(organizationId, size))
    },
  }
}
