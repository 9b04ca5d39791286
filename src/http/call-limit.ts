import { ServiceError } from '../errors.js'
import type { HttpRequest } from '../rpc/http-message.js'

/** Limits how many calls run at a time: more would only wait for each other. */
export interface CallLimit {
  /** Takes up the call of a request. Throws `SERVICE_UNAVAILABLE` where too many run, and says when to come back. */
  begin(request: HttpRequest): void
  /** Called when the request is over, whether its call was taken up or not. */
  end(request: HttpRequest): void
  /** How many calls run now. */
  readonly running: number
  /** How many were refused since the start. */
  readonly refused: number
}

/** The options of the limit. */
export interface CallLimitOptions {
  readonly maxRunning: number
  /** Milliseconds since some moment. Default: the machine's. */
  readonly now?: () => number
}

const WINDOW_MILLIS = 1_000
/** So many refused callers are asked to come back for each answer of a second: refusing them again takes time as well. */
const RETURNS_PER_ANSWER = 1 / 4
const MAX_RETRY_AFTER_MILLIS = 30_000

/**
 * Makes a limit. Refused callers are asked to come back one after the other, not all at once, and the later, the more
 * of them there are for each call that is answered.
 */
export function createCallLimit({ maxRunning, now = () => performance.now() }: CallLimitOptions): CallLimit {
  const running = new WeakSet<HttpRequest>()
  let count = 0
  let windowEnds = 0
  let refused = 0
  let allRefused = 0
  let answered = 0
  // Until it is known: what may run so many at a time answers as many in a second.
  let answersPerSecond = maxRunning
  let nextTurn = 0

  const lookAtWindow = (time: number) => {
    if (time < windowEnds) return
    // Only who refuses calls answers as many as is possible.
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
    begin: (request) => {
      const time = now()
      lookAtWindow(time)
      if (count >= maxRunning) {
        refused++
        allRefused++
        throw new ServiceError('SERVICE_UNAVAILABLE', 'the service is busy; try again', {
          retryAfterSeconds: retryAfterSeconds(time),
        })
      }
      running.add(request)
      count++
    },
    end: (request) => {
      if (!running.delete(request)) return
      lookAtWindow(now())
      count--
      answered++
    },
    get running() {
      return count
    },
    get refused() {
      return allRefused
    },
  }
}
