import type { createLocalJWKSet, JSONWebKeySet } from 'jose'
import { fetchJsonObject } from '../../egress/json-object.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'

/** How long keys are used without asking the issuer, in milliseconds; until then a withdrawn key is still accepted. */
const KEYS_MAX_AGE_MILLIS = 10 * 60_000
/** How long the issuer is left alone after it was asked, whatever it answered, in milliseconds. */
const PAUSE_MILLIS = 30_000
/** How many callers may wait for the issuer; it is slow where more would. */
const MAX_WAITING = 64

export interface IssuerKeysOptions {
  readonly issuer: string
  readonly runtime: Pick<Runtime, 'now'>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/**
 * Caches the keys of an issuer, which are fetched when they are first needed. One fetch runs at a time, at most one
 * every 30 seconds; until then, or while many callers wait for one, the cached keys are used, however old. A fetch
 * carries the `traceparent` (W3C Trace Context) of the call that caused it. `current` and `refreshed` throw
 * `SERVICE_UNAVAILABLE` while no keys are cached.
 */
export function createIssuerKeys({ issuer, runtime, log }: IssuerKeysOptions) {
  let cached: ReturnType<typeof createLocalJWKSet> | undefined
  let cachedAt = 0
  let nextFetchAt = 0
  let fetching: Promise<void> | undefined
  let waiting = 0

  const now = () => runtime.now().getTime()
  const fetchKeys = async (traceparent: string | undefined) => {
    try {
      const { createLocalJWKSet } = await import('jose')
      cached = createLocalJWKSet(await fetchIssuerKeys(issuer, traceparent))
      cachedAt = now()
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
  const cachedKeys = () => {
    if (cached !== undefined) return cached
    const retryAfterSeconds = Math.max(1, Math.ceil((nextFetchAt - now()) / 1_000))
    const message = 'the token cannot be verified at the moment; try again'
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds })
  }
  return {
    /** The keys, not older than 10 minutes if the issuer answers. */
    current: async (traceparent?: string) => {
      if (cached === undefined || now() - cachedAt >= KEYS_MAX_AGE_MILLIS) await refresh(traceparent)
      return cachedKeys()
    },
    /** The keys as the issuer has them now, for a token that the cached ones do not verify. */
    refreshed: async (traceparent?: string) => {
      await refresh(traceparent)
      return cachedKeys()
    },
  }
}

/** How long the issuer may take for both documents, in milliseconds. */
const TIMEOUT_MILLIS = 5_000

/**
 * Fetches the keys of an issuer, whose address its discovery document names (OpenID Connect Discovery 1.0, RFC 7517
 * section 5). Entries that are not objects are skipped, and do not affect the others. Rejects with a sentence for
 * operators if the keys cannot be had within 5 seconds, for whatever reason.
 */
export async function fetchIssuerKeys(issuer: string, traceparent?: string): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLIS)
  const headers = traceparent === undefined ? {} : { traceparent }
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = await fetchJsonObject(url, { signal, headers })
  const named: unknown = Reflect.get(document, 'issuer')
  if (named !== issuer) throw new Error(`${url} names another issuer: ${JSON.stringify(named)}`)
  const keysUrl: unknown = Reflect.get(document, 'jwks_uri')
  if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) throw new Error(`${url} has no jwks_uri`)
  const keys: unknown = Reflect.get(await fetchJsonObject(keysUrl, { signal, headers }), 'keys')
  if (!Array.isArray(keys)) throw new Error(`${keysUrl} is not a key set`)
  return { keys: keys.filter((key: unknown) => typeof key === 'object' && key !== null) }
}
