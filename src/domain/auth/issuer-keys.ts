import type { createLocalJWKSet, JSONWebKeySet } from 'jose'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'

/** How long keys are used without asking the issuer, in milliseconds; until then a withdrawn key is still accepted. */
const KEYS_MAX_AGE_MILLIS = 10 * 60_000
/** How long the issuer is left alone after it was asked, whatever it answered, in milliseconds. */
const PAUSE_MILLIS = 30_000
/** How many callers may wait for the issuer; it is slow where more would. */
const MAX_WAITING = 64

type HeldKeys = ReturnType<typeof createLocalJWKSet>

/** What keeping keys depends on. */
export interface IssuerKeysOptions {
  readonly issuer: string
  readonly runtime: Pick<Runtime, 'now'>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/**
 * Keeps the keys of an issuer, which are fetched when they are first needed. One fetch runs at a time, and 30 seconds
 * pass before the next one; in between, and where many callers wait already, the keys held must do, however old. What
 * is fetched carries the `traceparent` (W3C Trace Context) of the call that caused it. Both functions throw
 * `SERVICE_UNAVAILABLE` while no keys are held.
 */
export function createIssuerKeys({ issuer, runtime, log }: IssuerKeysOptions) {
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
    if (held !== undefined) return held
    const retryAfterSeconds = Math.max(1, Math.ceil((nextFetchAt - now()) / 1_000))
    const message = 'the token cannot be verified at the moment; try again'
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds })
  }
  return {
    /** The keys held, not older than 10 minutes if the issuer answers. */
    current: async (traceparent?: string) => {
      if (held === undefined || now() - heldSince >= KEYS_MAX_AGE_MILLIS) await refresh(traceparent)
      return heldNow()
    },
    /** The same after asking the issuer, for a token that they do not verify. */
    refreshed: async (traceparent?: string) => {
      await refresh(traceparent)
      return heldNow()
    },
  }
}

/** The largest document that is accepted from the issuer. */
const MAX_BYTES = 1024 * 1024
/** How long the issuer may take for both documents, in milliseconds. */
const TIMEOUT_MILLIS = 5_000

/**
 * Fetches the keys of an issuer, whose address its discovery document names (OpenID Connect Discovery 1.0, RFC 7517
 * section 5). Entries that are not objects are skipped, and do not affect the others. Rejects with a sentence for
 * operators if the keys cannot be had within 5 seconds, for whatever reason.
 */
export async function fetchIssuerKeys(issuer: string, traceparent?: string): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLIS)
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = await fetchDocument(url, signal, traceparent)
  const named: unknown = Reflect.get(document, 'issuer')
  if (named !== issuer) throw new Error(`${url} names another issuer: ${JSON.stringify(named)}`)
  const keysUrl: unknown = Reflect.get(document, 'jwks_uri')
  if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) throw new Error(`${url} has no jwks_uri`)
  const keys: unknown = Reflect.get(await fetchDocument(keysUrl, signal, traceparent), 'keys')
  if (!Array.isArray(keys)) throw new Error(`${keysUrl} is not a key set`)
  return { keys: keys.filter((key: unknown) => typeof key === 'object' && key !== null) }
}

/** A JSON object of at most 1 MiB; redirects are not followed. */
async function fetchDocument(url: string, signal: AbortSignal, traceparent: string | undefined): Promise<object> {
  const headers = { accept: 'application/json', ...(traceparent !== undefined && { traceparent }) }
  try {
    const answer = await fetch(url, { redirect: 'error', signal, headers })
    if (!answer.ok) throw new Error(`the status is ${answer.status}`)
    const document: unknown = JSON.parse(await readText(answer))
    if (typeof document !== 'object' || document === null) throw new Error('the document is not an object')
    return document
  } catch (cause) {
    throw new Error(`${url} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}

/** `fetch` hides why it failed in a cause, and a name with several addresses in an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error instanceof AggregateError ? error.errors.map(reasonOf).join(', ') : error.message
}

/**
 * Counted as it arrives: a declared length may be wrong, and for a compressed body it is not the length of the text.
 */
async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength
    if (length > MAX_BYTES) throw new Error(`the document has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
