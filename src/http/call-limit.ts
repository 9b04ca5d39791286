import { ServiceError } from '../errors.js'

/** Limits how many calls run at a time: more would only wait for each other. */
export type CallLimit = ReturnType<typeof createCallLimit>

const WINDOW_MILLIS = 1_000
/** How many refused callers may return for each call answered in a second: refusing them again takes time too. */
const RETURNS_PER_ANSWER = 1 / 4
const MAX_RETRY_AFTER_MILLIS = 30_000

/**
 * Makes a limit. Refused callers get different times for a retry, so that they do not all come at once; the times grow
 * with the refusals for each call that is answered. `now` is in milliseconds since some moment.
 */
export function createCallLimit(maxRunning: number, now = () => performance.now()) {
  const running = new WeakMap<object, string>()
  const countOf = new Map<string, number>()
  const share = Math.ceil(maxRunning / 2)
  let count = 0
  let windowEnds = 0
  let refused = 0
  let allRefused = 0
  let answered = 0
  // Until it is measured: a process that may run so many calls at a time answers as many in a second.
  let answersPerSecond = maxRunning
  let nextTurn = 0

  const lookAtWindow = (time: number) => {
    if (time < windowEnds) return
    // Only while calls are refused is the rate at its maximum.
    if (refused > 0) answersPerSecond = Math.max(1, (answered * 1_000) / WINDOW_MILLIS)
    windowEnds = time + WINDOW_MILLIS
    refused = 0
    answered = 0
  }
  const retryAfterSeconds = (time: number): number => {
    const turn = Math.min(Math.max(time, nextTurn), time + MAX_RETRY_AFTER_MILLIS)
    nextTurn = turn + 1_000 / (RETURNS_PER_ANSWER * answersPerSecond)
    return Math.max(1, Math.ceil((turn - time) / 1_000))
  }

  return {
    /**
     * Counts the call of a request as running, once its caller is known. Throws `SERVICE_UNAVAILABLE`, with the time of
     * a retry, if too many run, or half of them for this organization.
     */
    begin: (request: object, organizationId: string): void => {
      const time = now()
      lookAtWindow(time)
      const ofOrganization = countOf.get(organizationId) ?? 0
      if (count >= maxRunning || ofOrganization >= share) {
        refused++
        allRefused++
        const busy = count >= maxRunning ? 'the service is busy' : 'the organization has too many calls running'
        throw new ServiceError('SERVICE_UNAVAILABLE', `${busy}; try again`, {
          retryAfterSeconds: retryAfterSeconds(time),
        })
      }
      running.set(request, organizationId)
      countOf.set(organizationId, ofOrganization + 1)
      count++
    },
    /**
     * Ends a call, once it has its response or its client is gone; refused calls and repetitions are ignored. Returns
     * the organization whose call has ended.
     */
    end: (request: object): string | undefined => {
      const organizationId = running.get(request)
      if (organizationId === undefined) return undefined
      running.delete(request)
      lookAtWindow(now())
      const left = (countOf.get(organizationId) ?? 0) - 1
      if (left > 0) countOf.set(organizationId, left)
      else countOf.delete(organizationId)
      count--
      answered++
      return organizationId
    },
    /** The organization of a running call. */
    organizationOf: (request: object): string | undefined => running.get(request),
    get running() {
      return count
    },
    /** How many were refused since the start. */
    get refused() {
      return allRefused
    },
  }
}
