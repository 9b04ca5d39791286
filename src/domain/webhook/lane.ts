import type { AcceptedAttempt, ClaimedDelivery } from '../../store/webhook-delivery.js'

/** Requests in flight to an endpoint at a time. */
const MAX_PER_ENDPOINT = 10
/** An endpoint that has failed for so long gets one request at a time, so that it takes no places from others. */
const SPARED_MILLIS = 60_000

/** The outcome of an attempt; 'nothing' if it did not take place, or could not be recorded. */
export type Outcome = 'nothing' | 'failure' | AcceptedAttempt

/** The state of an endpoint to which this process sends events. */
export interface Lane {
  /** Whether a turn is under way, which records attempts and begins others, and whether another has to follow it. */
  readonly turn: 'none' | 'underWay' | 'again'
  /**
   * Places among the requests in flight that the lane has for its next attempts; the end of a turn releases unused
   * ones.
   */
  readonly places: number
  readonly awaitsPlace: boolean
  /** Attempts that have begun and are not recorded. */
  readonly inFlight: number
  /** Attempts that have ended and are recorded in the next turn. */
  readonly ended: readonly Outcome[]
  /** Whether there may be events for which there are no deliveries. */
  readonly hasEvents: boolean
  /** Whether attempts may be due. */
  readonly isDue: boolean
  /** As last read. */
  readonly failingSince: Date | null
}

interface Claimed extends Pick<Lane, 'hasEvents' | 'isDue'> {
  readonly deliveries: readonly ClaimedDelivery[]
}

export type LaneEvent =
  | { readonly type: 'woken'; readonly isDue: boolean; readonly failingSince: Date | null }
  | { readonly type: 'turnBegun'; readonly now: Date }
  /** The turn has taken places, none if there are none, and is about to look for what is to be sent. */
  | { readonly type: 'placesTaken'; readonly places: number }
  | ({ readonly type: 'turnEnded' } & Claimed)
  | { readonly type: 'placeCame' }
  | { readonly type: 'attemptEnded'; readonly outcome: Outcome; readonly isDue: boolean }

export type LaneEffect =
  | { readonly type: 'beginTurn' | 'awaitPlace' }
  | { readonly type: 'release'; readonly places: number }
  | { readonly type: 'attempt'; readonly delivery: ClaimedDelivery }

type Step = readonly [Lane, readonly LaneEffect[]]

const nothingToDo = { turn: 'none', places: 0, awaitsPlace: false, inFlight: 0, ended: [] } as const
/** A lane that has nothing to do, which need not be kept. */
export const idleLane: Lane = { ...nothingToDo, hasEvents: false, isDue: false, failingSince: null }

export function isIdle({ turn, awaitsPlace, inFlight }: Lane): boolean {
  return turn === 'none' && !awaitsPlace && inFlight === 0
}

export function roomIn({ failingSince, inFlight }: Lane, now: Date): number {
  const isSpared = failingSince !== null && now.getTime() - failingSince.getTime() >= SPARED_MILLIS
  return Math.max(0, (isSpared ? 1 : MAX_PER_ENDPOINT) - inFlight)
}

export function nextLane(lane: Lane, event: LaneEvent): Step {
  switch (event.type) {
    case 'woken':
      return withTurn({ ...lane, failingSince: event.failingSince, hasEvents: true, isDue: lane.isDue || event.isDue })
    case 'attemptEnded':
      return withTurn({ ...lane, ended: [...lane.ended, event.outcome], isDue: lane.isDue || event.isDue })
    case 'placeCame':
      return withTurn({ ...lane, places: lane.places + 1, awaitsPlace: false })
    case 'turnBegun': {
      const inFlight = lane.inFlight - lane.ended.length
      return [{ ...lane, turn: 'underWay', ended: [], inFlight, failingSince: failingAfter(lane, event.now) }, []]
    }
    case 'placesTaken': {
      const places = lane.places + event.places
      if (places > 0) return [{ ...lane, places, hasEvents: false, isDue: false }, []]
      return [{ ...lane, awaitsPlace: true }, lane.awaitsPlace ? [] : [{ type: 'awaitPlace' }]]
    }
    case 'turnEnded': {
      const { deliveries, hasEvents, isDue } = event
      const inFlight = lane.inFlight + deliveries.length
      const failingSince = deliveries[0] === undefined ? lane.failingSince : deliveries[0].failingSince
      const ended: Lane = { ...lane, turn: 'none', places: 0, inFlight, failingSince }
      const next: Lane = { ...ended, hasEvents: lane.hasEvents || hasEvents, isDue: lane.isDue || isDue }
      const left: LaneEffect = { type: 'release', places: lane.places - deliveries.length }
      const attempts = deliveries.map((delivery): LaneEffect => ({ type: 'attempt', delivery }))
      // If there may be more to send than there were places for, another turn follows, after those of other lanes.
      const [after, turns] = lane.turn === 'again' || hasEvents || isDue ? withTurn(next) : [next, []]
      return [after, [left, ...attempts, ...turns]]
    }
  }
}

function withTurn(lane: Lane): Step {
  if (lane.turn === 'none') return [{ ...lane, turn: 'underWay' }, [{ type: 'beginTurn' }]]
  return [{ ...lane, turn: 'again' }, []]
}

/** Since when the endpoint has only failed, with the attempts that have ended. */
function failingAfter({ ended, failingSince }: Lane, now: Date): Date | null {
  if (ended.some((outcome) => typeof outcome === 'object')) return null
  return ended.includes('failure') ? (failingSince ?? now) : failingSince
}
