import type { createLocalJWKSet } from 'jose'
import type { Runtime } from '../../runtime/runtime.js'
import { fetchIssuerKeys } from './issuer-document.js'

/** How long keys are used without asking the issuer, in milliseconds; until then a withdrawn key is still accepted. */
const KEYS_MAX_AGE_MILLIS = 10 * 60_000
/** How long the issuer is left alone after it was asked, whatever it answered, in milliseconds. */
const PAUSE_MILLIS = 30_000
/** How many callers may wait for the issuer; it is slow where more would. */
const MAX_WAITING = 64

/** The keys of the issuer as they are held. */
type HeldKeys = ReturnType<typeof createLocalJWKSet>

/** No keys of the issuer are held. */
export class NoIssuerKeys extends Error {
  override readonly name = 'NoIssuerKeys'
  /** When the issuer is asked again. */
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super('no keys of the issuer are cached')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What keeping keys depends on. */
export interface IssuerKeysOptions {
  readonly issuer: string
  readonly runtime: Pick<Runtime, 'now'>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/** The keys of an issuer. What is fetched carries the `traceparent` (W3C Trace Context) of the call that caused it. */
export interface IssuerKeys {
  /** The keys held, not older than 10 minutes if the issuer answers. Throws `NoIssuerKeys` if there are none. */
  current(traceparent?: string): Promise<HeldKeys>
  /** The same after asking the issuer, for a key that is not among them. */
  refreshed(traceparent?: string): Promise<HeldKeys>
}

/**
 * Keeps the keys of an issuer, which are fetched when they are first needed. One fetch runs at a time, and 30 seconds
 * pass before the next one; in between, and where many callers wait already, the keys held must do, however old.
 */
export function createIssuerKeys({ issuer, runtime, log }: IssuerKeysOptions): IssuerKeys {
  let held: HeldKeys | undefined
  let heldSince = 0
  let nextFetchAt = 0
  let fetching: Promise<void> | undefined
  let waiting = 0

  const now = () => runtime.now().getTime()
  const fetchKeys = async (traceparent: string | undefined) => {
    try {
      const { createLocalJWKSet } = await import('jose')
      held = createLocalJWKSet(await fetchIssuerKeys(issuer, traceparent))
      heldSince = now()
    } catch (err) {
      log.warn({ err }, 'the keys of the issuer could not be fetched')
    } finally {
      nextFetchAt = now() + PAUSE_MILLIS
      fetching = undefined
    }
  }
  const refresh = async (traceparent: string | undefined) => {
    if (fetching === undefined && now() < nextFetchAt) return
    if (waiting >= MAX_WAITING) return
    waiting++
    try {
      fetching ??= fetchKeys(traceparent)
      await fetching
    } finally {
      waiting--
    }
  }
  const heldNow = () => {
    if (held === undefined) throw new NoIssuerKeys(Math.max(1, Math.ceil((nextFetchAt - now()) / 1_000)))
    return held
  }
  return {
    current: async (traceparent) => {
      if (held === undefined || now() - heldSince >= KEYS_MAX_AGE_MILLIS) await refresh(traceparent)
      return heldNow()
    },
    refreshed: async (traceparent) => {
      await refresh(traceparent)
      return heldNow()
    },
  }
}
