import { setMaxListeners } from 'node:events'
import { pause } from '../../db/retries.js'
import { Semaphore } from '../../db/semaphore.js'
import type { SendResult } from '../../egress/webhook-sender.js'
import { byOrganization } from '../../store/organization.js'
import { type AcceptedAttempt, type Attempt, acceptAttempts, endAttempt } from '../../store/webhook-attempt.js'
import { takeEvents } from '../../store/webhook-cursor.js'
import { type ClaimedDelivery, claimDeliveries, type SentEvent } from '../../store/webhook-delivery.js'
import {
  type EnabledEndpoint,
  type EndpointKey,
  type EndpointTarget,
  enabledEndpoints,
  noteFailing,
} from '../../store/webhook-endpoint.js'
import type { FeedSignals } from '../event/feed-signals.js'
import type { Background } from '../event/sequencer.js'
import { type EndpointBehind, findBehind, nameOf } from './backlog.js'
import { deliver, isDelivered, MAX_IN_FLIGHT, nextAttemptAt, type WebhookTools } from './delivery.js'
import { disableFailing } from './endpoint.js'
import { type Lane, newLane } from './lane.js'
import { disableUnreadable } from './maker.js'
import { createSigningCheck, type SigningCheck } from './signing-check.js'

/** Requests in flight to an endpoint at a time. */
const MAX_PER_ENDPOINT = 10
/** How many endpoints look for events at a time, so that hundreds of them leave connections to calls. */
const LOOKING = 2
/** One that has failed for so long gets one request at a time, and so keeps no places from others. */
const SPARED_MILLIS = 60_000
/** How often the database is asked what is due. */
const SWEEP_MILLIS = 1_000
/** How long requests may still take when the service stops. */
const LAST_MILLIS = 300

/** Observes deliveries. Must not throw. */
export interface WebhookObserver {
  attempted(outcome: 'delivered' | 'refused' | 'no_response'): void
  disabled(reason: 'FAILURES' | 'GONE' | 'RIGHT_ENDED'): void
  /** The endpoints that are behind. */
  behind(endpoints: readonly EndpointBehind[]): void
}

/** What a dispatcher needs. */
export interface DispatcherOptions extends Background, Omit<WebhookTools, 'allowance'> {
  readonly signals: FeedSignals
  readonly observer?: WebhookObserver | undefined
}

/**
 * Sends events to endpoints until the signal aborts: soon after they have got positions, and when an attempt is due.
 * Any number of processes do so. No request holds a connection of the database.
 */
export async function runDispatcher(options: DispatcherOptions): Promise<void> {
  const { database, signals, runtime, timing, log, observer, signal } = options
  const dispatcher = new Dispatcher(options)
  let endpoints: ReadonlyMap<string, readonly EnabledEndpoint[]> = new Map()
  signals.on('placed', (organizationId) => {
    for (const endpoint of endpoints.get(organizationId) ?? []) dispatcher.wake(endpoint, { isDue: false })
  })
  while (!signal.aborted) {
    try {
      const enabled = await enabledEndpoints(database)
      endpoints = byOrganization(enabled)
      const behind = await findBehind(database, enabled, runtime.now())
      observer?.behind(behind)
      for (const endpoint of behind) dispatcher.wake(endpoint, { isDue: true })
    } catch (err) {
      log.warn({ err }, 'due webhooks could not be found')
    }
    await pause(SWEEP_MILLIS, signal, timing)
  }
  await dispatcher.end()
}

class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #running = new Set<Promise<void>>()
  readonly #looking = new Semaphore(LOOKING, { maxWaiting: Number.POSITIVE_INFINITY, maxWaitMillis: 30_000 })
  readonly #stop = new AbortController()
  readonly #signing: SigningCheck

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#signing = createSigningCheck(options)
    setMaxListeners(MAX_IN_FLIGHT, this.#stop.signal)
  }

  /** Looks for events of an endpoint, and for attempts that are due if there may be any. */
  wake({ organizationId, id, failingSince }: EnabledEndpoint, { isDue }: { readonly isDue: boolean }): void {
    const name = nameOf({ organizationId, id })
    const lane = this.#lanes.get(name) ?? newLane({ organizationId, id })
    this.#lanes.set(name, lane)
    lane.failingSince = failingSince
    lane.hasEvents = true
    lane.isDue ||= isDue
    this.#look(lane)
  }

  /** Gives requests a last moment, and resolves when all have ended. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), LAST_MILLIS)
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearTimeout(timer)
  }

  #forget(lane: Lane): void {
    const isIdle = lane.inFlight === 0 && !lane.isFilling && lane.place === 'none'
    if (isIdle) this.#lanes.delete(nameOf(lane.key))
  }

  #track(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  #look(lane: Lane): void {
    lane.isWoken = true
    if (!lane.isFilling) this.#track(this.#run(lane))
  }

  /** Never rejects. */
  async #run(lane: Lane): Promise<void> {
    const { log } = this.#options
    lane.isFilling = true
    try {
      while (lane.isWoken) {
        lane.isWoken = false
        await this.#looking.use(() => this.#turn(lane), { of: lane.key.organizationId })
      }
    } catch (err) {
      log.warn({ err, endpointId: lane.key.id }, 'webhooks could not be sent')
    }
    lane.isFilling = false
    this.#forget(lane)
  }

  /** Records together what ended since the last turn, and begins attempts in the places that are free. */
  async #turn(lane: Lane): Promise<void> {
    const { signal } = this.#options
    const ended = lane.ended.splice(0)
    lane.inFlight -= ended.length
    try {
      await this.#recordEnded(lane, ended)
      if ((lane.hasEvents || lane.isDue) && !signal.aborted) await this.#fill(lane)
    } finally {
      if (lane.place === 'free') {
        lane.place = 'none'
        this.#giveBack(lane, 1)
      }
    }
  }

  /** Records what was accepted, and notes since when the endpoint has only failed. */
  async #recordEnded(lane: Lane, ended: Lane['ended']): Promise<void> {
    const { database, runtime } = this.#options
    const accepted = ended.filter((each) => typeof each === 'object')
    await acceptAttempts(database, lane.key, accepted)
    // A failure that this process has not read of is tried again, and is known of then.
    if (accepted.length > 0 && lane.failingSince !== null) {
      await noteFailing(database, lane.key, null)
      lane.failingSince = null
    }
    if (accepted.length === 0 && ended.includes('failure') && lane.failingSince === null) {
      lane.failingSince = runtime.now()
      await noteFailing(database, lane.key, lane.failingSince)
    }
  }

  /**
   * Begins as many attempts as there is room for. If there may be more, the lane has another turn, after the others.
   */
  async #fill(lane: Lane): Promise<void> {
    const { database, runtime } = this.#options
    const failing = lane.failingSince === null ? 0 : runtime.now().getTime() - lane.failingSince.getTime()
    const most = failing < SPARED_MILLIS ? MAX_PER_ENDPOINT : 1
    if (!(await this.#signing.canSign(lane.key)) || !(await this.#isReadable(lane))) return
    const room = this.#takePlaces(lane, most - lane.inFlight)
    if (room === 0) return
    lane.inFlight += room
    let claimed: ClaimedDelivery[] = []
    try {
      if (lane.hasEvents) {
        lane.hasEvents = false
        const taken = await takeEvents(database, { ...lane.key, room })
        lane.hasEvents ||= taken.hasMore
        lane.isDue ||= taken.taken > 0
      }
      if (lane.isDue) {
        lane.isDue = false
        claimed = await claimDeliveries(database, { ...lane.key, room })
      }
    } finally {
      lane.inFlight += claimed.length - room
      this.#giveBack(lane, room - claimed.length)
    }
    const [first] = claimed
    if (first !== undefined) lane.failingSince = first.failingSince
    lane.isDue ||= claimed.length === room
    lane.isWoken ||= lane.hasEvents || lane.isDue
    for (const delivery of claimed) this.#track(this.#attempt(lane, delivery))
  }

  /** Whether the maker of the endpoint may read what it is sent, which is asked once a second; else disables it. */
  async #isReadable(lane: Lane): Promise<boolean> {
    const { database, runtime, timing, observer } = this.#options
    if (timing.now() < lane.readableUntil) return true
    if (await disableUnreadable(database, lane.key, runtime)) {
      observer?.disabled('RIGHT_ENDED')
      return false
    }
    lane.readableUntil = timing.now() + SWEEP_MILLIS
    return true
  }

  /** Takes at most so many places and returns how many; if there is none, the lane is looked at when it has one. */
  #takePlaces(lane: Lane, wanted: number): number {
    const { sends } = this.#options
    const of = lane.key.organizationId
    if (wanted <= 0) return 0
    let taken = lane.place === 'free' ? 1 : 0
    if (taken === 1) lane.place = 'none'
    for (; taken < wanted && sends.roomFor(of) > 0; taken++) void sends.acquire({ of })
    if (taken > 0 || lane.place === 'awaited') return taken
    lane.place = 'awaited'
    const wait = async () => {
      await sends.acquire({ of })
      lane.place = 'free'
      this.#look(lane)
    }
    this.#track(wait())
    return 0
  }

  #giveBack({ key }: Lane, places: number): void {
    for (let left = places; left > 0; left--) this.#options.sends.release(key.organizationId)
  }

  /** Never rejects. */
  async #attempt(lane: Lane, { attempts, ...target }: ClaimedDelivery): Promise<void> {
    const { database, runtime, log } = this.#options
    const { organizationId, id: endpointId } = lane.key
    const attempt: Attempt = { organizationId, endpointId, eventId: target.eventId, attempts }
    const endpoint = { ...lane.key, ...target }
    let outcome: Lane['ended'][number] = 'nothing'
    try {
      const fault = this.#signing.fault(endpoint)
      const sent = fault === undefined ? this.#send(endpoint) : Promise.resolve(undefined)
      const result = await sent.finally(() => this.#giveBack(lane, 1))
      // One that did not take place is given back: it stays due, and the metrics say for how long.
      if (result === undefined) await endAttempt(database, attempt, { dueAt: runtime.now(), attempts: attempts - 1 })
      else outcome = await this.#record(endpoint, attempt, result)
      if (fault !== undefined) throw fault
    } catch (err) {
      log.warn({ err, endpointId }, 'webhooks could not be sent')
    }
    lane.ended.push(outcome)
    // In order of the targets, the next event of this one may have waited for it.
    lane.isDue ||= target.mode === 'BY_TARGET'
    this.#look(lane)
  }

  /** Sends an event; undefined if the process stops first. */
  async #send(delivery: EndpointKey & EndpointTarget & SentEvent): Promise<SendResult | undefined> {
    const { signal } = this.#stop
    return deliver(this.#options, delivery, this.#options.runtime.now(), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
      return undefined
    })
  }

  /** Records a failure; what was accepted is recorded with others. */
  async #record(
    endpoint: EndpointKey & EndpointTarget,
    attempt: Attempt,
    { retryAfter, responseBody, ...sent }: SendResult,
  ): Promise<'failure' | AcceptedAttempt> {
    const { database, runtime, timing, observer } = this.#options
    const result = { ...sent, responseText: responseBody }
    if (isDelivered(result)) {
      observer?.attempted('delivered')
      return { ...attempt, ...result }
    }
    observer?.attempted(result.responseStatus === null ? 'no_response' : 'refused')
    const now = runtime.now()
    const dueAt = nextAttemptAt(attempt.attempts, retryAfter, now, timing.random())
    const next = dueAt === undefined ? ({ status: 'FAILED' } as const) : { dueAt }
    await endAttempt(database, attempt, { ...result, ...next })
    const reason = await disableFailing(database, endpoint, result, runtime)
    if (reason !== undefined) observer?.disabled(reason)
    return 'failure'
  }
}
