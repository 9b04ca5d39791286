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
/** How many seconds a caller waits for each call that is refused while one is answered: to refuse takes time as well. */
const SECONDS_PER_REFUSAL = 4
const MAX_RETRY_AFTER_SECONDS = 30

/** Makes a limit. The more calls are refused for each one that is answered, the later they are asked to come back. */
export function createCallLimit({ maxRunning, now = () => performance.now() }: CallLimitOptions): CallLimit {
  const running = new WeakSet<HttpRequest>()
  let count = 0
  let windowEnds = 0
  let refused = 0
  let allRefused = 0
  let answered = 0
  let retryAfterSeconds = 1

  const lookAtWindow = () => {
    const time = now()
    if (time < windowEnds) return
    const seconds = Math.ceil((SECONDS_PER_REFUSAL * refused) / Math.max(1, answered))
    retryAfterSeconds = Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, seconds))
    windowEnds = time + WINDOW_MILLIS
    refused = 0
    answered = 0
  }

  return {
    begin: (request) => {
      lookAtWindow()
      if (count >= maxRunning) {
        refused++
        allRefused++
        throw new ServiceError('SERVICE_UNAVAILABLE', 'the service is busy; try again', { retryAfterSeconds })
      }
      running.add(request)
      count++
    },
    end: (request) => {
      if (!running.delete(request)) return
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
