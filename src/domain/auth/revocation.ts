import { databaseFailure } from '../../db/errors.js'
import { systemTiming, type Timing } from '../../db/retries.js'
import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findApiKey, findTeamOfKey, lockKeyChain, revokeApiKeys } from '../../store/api-key.js'
import { deleteApiKeySession, deleteApiKeySessions, findApiKeySession } from '../../store/api-key-session.js'
import { clearOutbox } from '../../store/audit-event.js'
import { deleteUserToken, findUserToken } from '../../store/user-token.js'
import { type AuditEvent, anonymousActor, recordAuditEvents } from '../audit/audit-event.js'
import { findKeyFor, type KeyTools, keyEvent, lockKeyFor, recordKeyEvents } from './api-key.js'
import { credentialsIn } from './leaked-text.js'
import type { SecretHash, SecretHasher } from './secret-hash.js'
import { userTokenEvent } from './user-token.js'

export interface RevocationOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly runtime: Runtime
  readonly timing?: Pick<Timing, 'now' | 'sleep'>
}

/**
 * Revokes the leaked credentials in a text (`credentialsIn`), up to five: access tokens, user tokens, and keys by their
 * secrets. With a key, its whole rotation chain is revoked, even if the key itself is revoked already, unless it was
 * rotated without an overlap, which is how an operator deals with a leak. Returns the number of revoked keys, which
 * must not reach the client.
 *
 * Neither the response nor its timing reveals whether a credential existed: the statements depend on the text alone,
 * and the response, even a failure, leaves on a time grid. Once the promise resolves, no process accepts a revoked
 * token, or a token of a revoked key. Throws `SERVICE_UNAVAILABLE` if the database does not answer in time; keys may
 * have been revoked all the same, and the call can be repeated.
 */
export async function revokeLeakedKey(options: RevocationOptions, text: string, requestId: string): Promise<number> {
  const { database, hasher, runtime, timing = systemTiming } = options
  const found = credentialsIn(text)
  const revoke = async () => {
    let keys = 0
    // Each in a transaction of its own, so that reports of the same keys in another order do not deadlock.
    for (const credential of found.length > 0 ? found : [undefined]) {
      keys += await database.transaction(async (transaction) => {
        // Text without the form of a credential is not even hashed: it may be a password that someone pasted.
        const hashes =
          credential?.readings.flatMap((reading) => hasher.candidates(reading)) ??
          hasher.candidates('').map(() => runtime.randomBytes(32))
        const end = endings[credential?.kind ?? 'secret']
        const ended = await end(transaction, hashes, runtime)
        // An event of an organization that does not exist leaves a row in the outbox, and nothing else.
        const events = ended.length > 0 ? ended : [keyEvent('api_key.revoke', { ...noKey, teamId: null })]
        await recordAuditEvents(transaction, events, { actor: anonymousActor, requestId, runtime })
        await clearOutbox(transaction, NOTHING)
        return end === revokeChain ? ended.length : 0
      })
    }
    return keys
  }
  return onTimeGrid(timing, () => orUnavailable(revoke()))
}

// The functions of `endings` end the credential that has one of the hashes, and return the events. Without such a
// credential, they send the same statements.

/** Not an organization, a key or a chain: no id has this character. */
const NOTHING = ' '
const noKey = { organizationId: NOTHING, id: NOTHING, chainId: NOTHING }
const noToken = { organizationId: NOTHING, tokenHash: new Uint8Array(32) }

async function revokeChain(
  transaction: Tables,
  hashes: readonly SecretHash[],
  runtime: Pick<Runtime, 'now'>,
): Promise<AuditEvent[]> {
  const found = (await findApiKey(transaction, { hashes })) ?? noKey
  const locked = await lockKeyChain(transaction, found)
  const { organizationId, chainId } = locked?.revokedBy === 'ROTATION' ? noKey : found
  const revocation = { revokedBy: 'LEAK_REPORT', revokedAt: locked?.now ?? runtime.now() } as const
  const keys = await revokeApiKeys(transaction, { organizationId, chainId }, revocation)
  await deleteApiKeySessions(transaction, organizationId, keys)
  return keys.map((key) => keyEvent('api_key.revoke', key))
}

async function endAccessToken(transaction: Tables, hashes: readonly SecretHash[]): Promise<AuditEvent[]> {
  const session = await findApiKeySession(transaction, hashes)
  const key = session === undefined ? noKey : { organizationId: session.organizationId, id: session.apiKeyId }
  const teamId = await findTeamOfKey(transaction, key)
  const isEnded = await deleteApiKeySession(transaction, session ?? noToken)
  return isEnded ? [keyEvent('access_token.revoke', { ...key, teamId })] : []
}

async function endUserToken(transaction: Tables, hashes: readonly SecretHash[]): Promise<AuditEvent[]> {
  const token = await findUserToken(transaction, hashes)
  const isEnded = await deleteUserToken(transaction, token ?? noToken)
  return token !== undefined && isEnded ? [userTokenEvent(token)] : []
}

const endings = { secret: revokeChain, 'access token': endAccessToken, 'user token': endUserToken } as const

/**
 * Revokes a key by its id, with its `chain` the keys that it was rotated from and to as well, and returns the ids of
 * those that were not revoked before. Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` if the caller may not.
 */
export async function revokeKeyById(
  tools: Omit<KeyTools, 'hasher'>,
  id: string,
  { chain = false }: { readonly chain?: boolean } = {},
): Promise<string[]> {
  const key = await findKeyFor(tools, id)
  const { organizationId, chainId } = key
  return tools.database.transaction(async (transaction) => {
    const { now } = await lockKeyFor(tools, transaction, key)
    const revocation = { revokedBy: tools.call === undefined ? 'OPERATOR' : 'USER', revokedAt: now } as const
    const keys = await revokeApiKeys(
      transaction,
      chain ? { organizationId, chainId } : { organizationId, id },
      revocation,
    )
    await deleteApiKeySessions(transaction, organizationId, keys)
    const events = keys.map((revoked) => keyEvent('api_key.revoke', revoked))
    await recordKeyEvents(tools, transaction, events)
    return keys.map((revoked) => revoked.id)
  })
}

/** Turns every failure of the database into the one error that revocations throw. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof ServiceError || databaseFailure(cause) === undefined) throw cause
    throw new ServiceError('SERVICE_UNAVAILABLE', 'the service is temporarily unavailable; try again', {
      retryAfterSeconds: 1,
      cause,
    })
  }
}

/** The interval between the moments at which a response may leave, in milliseconds. */
const GRID_MILLIS = 50
/** More than a timer may be late. */
const NEAR_MILLIS = 3
/** Shorter than any timer. */
const TURN_MILLIS = 0.5

/**
 * Releases the outcome of the work, even a failure, at the next multiple of 50 ms after its start, so that the timing
 * of the response does not reveal what the work found.
 */
export async function onTimeGrid<T>(timing: Pick<Timing, 'now' | 'sleep'>, work: () => Promise<T>): Promise<T> {
  const start = timing.now()
  try {
    return await work()
  } finally {
    const leave = start + GRID_MILLIS * Math.max(1, Math.ceil((timing.now() - start) / GRID_MILLIS))
    // Timers count whole milliseconds, so how late one fires would reveal when the work ended. They are used only to
    // get close; the rest is waited for turn by turn of the event loop.
    for (let left = leave - timing.now(); left > 0; left = leave - timing.now()) {
      await timing.sleep(left > NEAR_MILLIS ? left - NEAR_MILLIS : Math.min(left, TURN_MILLIS))
    }
  }
}
