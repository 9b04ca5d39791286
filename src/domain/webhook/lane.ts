import type { AcceptedAttempt } from '../../store/webhook-attempt.js'
import type { EndpointKey } from '../../store/webhook-endpoint.js'

/** An endpoint for which this process works. */
export interface Lane {
  readonly key: EndpointKey
  /** As last read. */
  failingSince: Date | null
  /** Attempts that have begun and are not recorded. */
  inFlight: number
  /** Whether it waits for a place among the requests in flight, or has one for its next attempt. */
  place: 'none' | 'awaited' | 'free'
  /** Attempts that have ended, with their outcomes, to be recorded in the next turn. */
  readonly ended: ('nothing' | 'failure' | AcceptedAttempt)[]
  /** Until when its maker need not be asked for again, on the clock of the dispatcher. */
  readableUntil: number
  isFilling: boolean
  isWoken: boolean
  /** Whether there may be events for which there are no deliveries. */
  hasEvents: boolean
  /** Whether attempts may be due. */
  isDue: boolean
}

/** An endpoint that has nothing to do yet. */
export function newLane(key: EndpointKey): Lane {
  return {
    key,
    failingSince: null,
    inFlight: 0,
    place: 'none',
    ended: [],
    readableUntil: Number.NEGATIVE_INFINITY,
    isFilling: false,
    isWoken: false,
    hasEvents: false,
    isDue: false,
  }
}
