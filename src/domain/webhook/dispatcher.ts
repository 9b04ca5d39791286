import { setMaxListeners } from 'node:events'
import { pause } from '../../db/retries.js'
import type { SendResult } from '../../egress/webhook-sender.js'
import { Semaphore } from '../../runtime/semaphore.js'
import { byOrganization } from '../../store/organization.js'
import { takeEvents } from '../../store/webhook-cursor.js'
import {
  type Attempt,
  acceptAttempts,
  type ClaimedDelivery,
  claimDeliveries,
  endAttempt,
  type SentEvent,
} from '../../store/webhook-delivery.js'
import {
  type EnabledEndpoint,
  type EndpointKey,
  type EndpointTarget,
  enabledEndpoints,
  findEndpointTarget,
  noteFailing,
} from '../../store/webhook-endpoint.js'
import type { FeedSignals } from '../event/feed-signals.js'
import type { Background } from '../event/sequencer.js'
import { type EndpointBehind, findBehind, nameOf } from './backlog.js'
import { deliver, isDelivered, MAX_IN_FLIGHT, nextAttemptAt, type WebhookTools } from './delivery.js'
import { disableFailing } from './endpoint.js'
import { idleLane, isIdle, type Lane, type LaneEvent, nextLane, type Outcome, roomIn } from './lane.js'
import { requireReadable } from './maker.js'

/** How many endpoints look for events at a time, so that hundreds of them leave connections to calls. */
const LOOKING = 2
/** How often the database is asked what is due. */
const SWEEP_MILLIS = 1_000
/** How long requests may still take when the service stops. */
const LAST_MILLIS = 300

/** Observes deliveries. Must not throw. */
export interface WebhookObserver {
  attempted(outcome: 'delivered' | 'refused' | 'no_response'): void
  disabled(reason: 'FAILURES' | 'GONE' | 'RIGHT_ENDED'): void
  behind(endpoints: readonly EndpointBehind[]): void
}

export interface DispatcherOptions extends Background, Omit<WebhookTools, 'allowance'> {
  readonly signals: FeedSignals
  readonly observer?: WebhookObserver | undefined
}

/**
 * Sends events to endpoints until the signal aborts: soon after they have got positions, and when an attempt is due.
 * Any number of processes may run it. No database connection is in use during a request.
 */
export async function runDispatcher(options: DispatcherOptions): Promise<void> {
  const { database, signals, runtime, timing, log, observer, signal } = options
  const dispatcher = createDispatcher(options)
  let endpoints: ReadonlyMap<string, readonly EnabledEndpoint[]> = new Map()
  signals.on('placed', (organizationId) => {
    for (const endpoint of endpoints.get(organizationId) ?? []) dispatcher.wake(endpoint, false)
  })
  while (!signal.aborted) {
    try {
      const enabled = await enabledEndpoints(database)
      endpoints = byOrganization(enabled)
      const behind = await findBehind(database, enabled, runtime.now())
      observer?.behind(behind)
      for (const endpoint of behind) dispatcher.wake(endpoint, true)
    } catch (err) {
      log.warn({ err }, 'due webhooks could not be found')
    }
    await pause(SWEEP_MILLIS, signal, timing)
  }
  await dispatcher.end()
}

function createDispatcher(options: DispatcherOptions) {
  const { database, secrets, sends, runtime, timing, log, observer, signal } = options
  /** The lanes with work, by the names of their endpoints. */
  const lanes = new Map<string, Lane>()
  /** Until when the makers of their endpoints need not be asked for again. */
  const readableUntil = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const looking = new Semaphore(LOOKING, { maxWaitMillis: 30_000 })
  /** Endpoints whose secrets this process could not open, so that their events stay due for one that can. */
  const unopened = new Set<string>()
  const stop = new AbortController()
  setMaxListeners(MAX_IN_FLIGHT, stop.signal)

  const laneOf = (key: EndpointKey): Lane => lanes.get(nameOf(key)) ?? idleLane

  /** Changes a lane by an event, does what follows, and returns the lane. */
  function advance(key: EndpointKey, event: LaneEvent): Lane {
    const [lane, effects] = nextLane(laneOf(key), event)
    if (!isIdle(lane)) lanes.set(nameOf(key), lane)
    else if (lanes.delete(nameOf(key))) readableUntil.delete(nameOf(key))
    for (const effect of effects) {
      if (effect.type === 'release') release(key, effect.places)
      else if (effect.type === 'attempt') track(attempt(key, effect.delivery))
      else track(effect.type === 'beginTurn' ? turn(key) : awaitPlace(key))
    }
    return lane
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  async function awaitPlace(key: EndpointKey): Promise<void> {
    await sends.acquire({ of: key.organizationId })
    advance(key, { type: 'placeCame' })
  }

  function release({ organizationId }: EndpointKey, places: number): void {
    for (let left = places; left > 0; left--) sends.release(organizationId)
  }

  /** Records what ended since the last turn, and claims as many attempts as there is room for. Never rejects. */
  async function turn(key: EndpointKey): Promise<void> {
    let claimed: Awaited<ReturnType<typeof claim>>
    try {
      const work = async () => {
        const { hasEvents, isDue } = await recordEnded(key)
        if ((hasEvents || isDue) && !signal.aborted) claimed = await claim(key)
      }
      await looking.use(work, { of: key.organizationId })
    } catch (err) {
      log.warn({ err, endpointId: key.id }, 'webhooks could not be sent')
    }
    advance(key, { type: 'turnEnded', deliveries: [], hasEvents: false, isDue: false, ...claimed })
  }

  /** Records what was accepted, and notes since when the endpoint has only failed. */
  async function recordEnded(key: EndpointKey): Promise<Lane> {
    const before = laneOf(key)
    const { failingSince } = advance(key, { type: 'turnBegun', now: runtime.now() })
    const accepted = before.ended.filter((outcome) => typeof outcome === 'object')
    await acceptAttempts(database, key, accepted)
    if (failingSince !== before.failingSince) await noteFailing(database, key, failingSince)
    return laneOf(key)
  }

  async function claim(key: EndpointKey) {
    if (!(await canSign(key)) || !(await isReadable(key))) return undefined
    const of = key.organizationId
    const lane = laneOf(key)
    const wanted = roomIn(lane, runtime.now())
    if (wanted === 0) return undefined
    let taken = 0
    for (; lane.places + taken < wanted && sends.roomFor(of) > 0; taken++) void sends.acquire({ of })
    const { places: room } = advance(key, { type: 'placesTaken', places: taken })
    if (room === 0) return undefined
    const events = lane.hasEvents ? await takeEvents(database, { ...key, room }) : { taken: 0, hasMore: false }
    const isDue = lane.isDue || events.taken > 0
    const deliveries = isDue ? await claimDeliveries(database, { ...key, room }) : []
    return { deliveries, hasEvents: events.hasMore, isDue: deliveries.length === room }
  }

  /** Why the secrets of an endpoint cannot be opened; undefined if they can. */
  function sealFault(endpoint: EndpointKey & EndpointTarget): unknown {
    try {
      secrets.open(endpoint)
    } catch (error) {
      unopened.add(nameOf(endpoint))
      return error
    }
    unopened.delete(nameOf(endpoint))
    return undefined
  }

  /** Whether requests to an endpoint can be signed, as far as is known: one that could not is looked at again. */
  async function canSign(key: EndpointKey): Promise<boolean> {
    const target = unopened.has(nameOf(key)) ? await findEndpointTarget(database, key, runtime.now()) : undefined
    return target === undefined || sealFault({ ...key, ...target }) === undefined
  }

  /** Whether the maker of the endpoint may read what it is sent, which is asked once a second; else disables it. */
  async function isReadable(key: EndpointKey): Promise<boolean> {
    if (timing.now() < (readableUntil.get(nameOf(key)) ?? Number.NEGATIVE_INFINITY)) return true
    const state = await requireReadable(database, key, runtime)
    if (state === 'readable') readableUntil.set(nameOf(key), timing.now() + SWEEP_MILLIS)
    if (state === 'disabled') observer?.disabled('RIGHT_ENDED')
    return state === 'readable'
  }

  /** Never rejects. */
  async function attempt(key: EndpointKey, { attempts, ...target }: ClaimedDelivery): Promise<void> {
    const { organizationId, id: endpointId } = key
    const attempt: Attempt = { organizationId, endpointId, eventId: target.eventId, attempts }
    const endpoint = { ...key, ...target }
    let outcome: Outcome = 'nothing'
    try {
      const fault = sealFault(endpoint)
      const sent = fault === undefined ? send(endpoint) : Promise.resolve(undefined)
      const result = await sent.finally(() => release(key, 1))
      // One that did not take place is given back: it stays due, and the metrics say for how long.
      if (result === undefined) await endAttempt(database, attempt, { dueAt: runtime.now(), attempts: attempts - 1 })
      else outcome = await record(endpoint, attempt, result)
      if (fault !== undefined) throw fault
    } catch (err) {
      log.warn({ err, endpointId }, 'webhooks could not be sent')
    }
    // In order of the targets, the next event of this one may have waited for it.
    advance(key, { type: 'attemptEnded', outcome, isDue: target.mode === 'BY_TARGET' })
  }

  /** Sends an event; undefined if the process stops first. */
  function send(delivery: EndpointKey & EndpointTarget & SentEvent): Promise<SendResult | undefined> {
    return deliver(options, delivery, runtime.now(), stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error
      return undefined
    })
  }

  /** Records a failure; what was accepted is recorded with others. */
  async function record(
    endpoint: EndpointKey & EndpointTarget,
    attempt: Attempt,
    { retryAfter, responseBody, ...sent }: SendResult,
  ): Promise<Outcome> {
    const result = { ...sent, responseText: responseBody }
    if (isDelivered(result)) {
      observer?.attempted('delivered')
      return { ...attempt, ...result }
    }
    observer?.attempted(result.responseStatus === null ? 'no_response' : 'refused')
    const dueAt = nextAttemptAt(attempt.attempts, retryAfter, runtime.now(), timing.random())
    await endAttempt(database, attempt, { ...result, ...(dueAt === undefined ? { status: 'FAILED' } : { dueAt }) })
    const reason = await disableFailing(database, endpoint, result, runtime)
    if (reason !== undefined) observer?.disabled(reason)
    return 'failure'
  }

  return {
    /** Looks for events of an endpoint, and for attempts that are due if there may be any. */
    wake: ({ organizationId, id, failingSince }: EnabledEndpoint, isDue: boolean) =>
      void advance({ organizationId, id }, { type: 'woken', failingSince, isDue }),
    /** Gives requests a last moment, and resolves when all have ended. */
    end: async (): Promise<void> => {
      const timer = setTimeout(() => stop.abort(), LAST_MILLIS)
      while (running.size > 0) await Promise.all(running)
      clearTimeout(timer)
    },
  }
}
