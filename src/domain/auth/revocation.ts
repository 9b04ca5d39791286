import { databaseFailure } from '../../db/errors.js'
import type { Timing } from '../../db/retries.js'
import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findApiKey, findKeyEnd, type RevokedKey, revokeApiKeys } from '../../store/api-key.js'
import { findKeysOfChain, type KeyId, lockKeyChain } from '../../store/api-key-rotation.js'
import { deleteApiKeySessions } from '../../store/api-key-session.js'
import { deleteLeakedSession, findLeaked, type LeakedCredentials } from '../../store/leaked-credential.js'
import { deleteUserToken } from '../../store/user-token.js'
import { type AuditEvent, anonymousActor, recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { keyEvent } from './api-key.js'
import { inspectApiKeySecret } from './api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, isWholeTokenBody, USER_TOKEN_PREFIX } from './bearer-token.js'
import type { SecretHasher } from './secret-hash.js'
import { onTimeGrid } from './time-grid.js'

/** What revoking needs. */
export interface RevocationOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly runtime: Runtime
  readonly timing: Pick<Timing, 'now' | 'sleep'>
  /** How long a revocation may take, in milliseconds; default 5 s. */
  readonly timeoutMillis?: number | undefined
  /** Told after every revocation that was done how many keys it has ended: none, one, or a chain of them. */
  readonly onRevoked?: ((keys: number) => void) | undefined
}

/** Not an organization, a key or a chain: no id has this character. */
const NOTHING = ' '
const noToken = { organizationId: NOTHING, tokenHash: new Uint8Array(32) }

/** Whether a text has the form of a credential that this service gives out. */
export function isCredential(text: string): boolean {
  const prefix = [ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX].find((each) => text.startsWith(each))
  return prefix === undefined ? inspectApiKeySecret(text).ok : isWholeTokenBody(text.slice(prefix.length))
}

/**
 * Ends the credential that someone has found, if there is one: an access token, a user token, or a key by its secret,
 * and with the key the whole chain that it was rotated from and to, even if the key itself has been revoked before;
 * unless it was rotated without an overlap, which is how an operator deals with a leak. Neither the result nor the
 * timing reveals whether there was one: the same statements run for every text, and the response, even a failure,
 * leaves on a time grid. Once it resolves, no process accepts the token, or a token of these keys. Throws
 * `SERVICE_UNAVAILABLE` if the database did not answer in time; the keys may have been revoked all the same, and the
 * call can be repeated. Throws `MALFORMED_REQUEST` for a text of nothing but white space and quotation marks, which are
 * ignored around a secret.
 */
export async function revokeLeakedKey(options: RevocationOptions, text: string, requestId: string): Promise<void> {
  const secret = unwrapped(text)
  if (secret === '') throw new ServiceError('MALFORMED_REQUEST', 'secret: is empty: send the text of the secret')
  const { database, hasher, runtime, timing, timeoutMillis = 5_000 } = options
  const revoke = async (transaction: Tables) => {
    // Text that does not have the form of a secret is not even hashed: it may be a password that someone pasted.
    const candidates = isCredential(secret)
      ? hasher.candidates(secret)
      : hasher.candidates('').map(() => runtime.randomBytes(32))
    const leaked = await findLeaked(transaction, candidates)
    const keys = await revokeLeakedChain(transaction, leaked.key ?? { organizationId: NOTHING, id: NOTHING }, runtime)
    const tokens = await endLeakedTokens(transaction, leaked)
    const events = [...keys.map((key) => keyEvent('api_key.revoke', key)), ...tokens]
    const who = { actor: anonymousActor, requestId }
    await recordAuditEvents(
      transaction,
      events.map((event) => ({ ...event, ...who })),
      runtime,
    )
    return keys.length
  }
  return onTimeGrid(timing, async () => {
    const keys = await withDatabase(timing, timeoutMillis, () => database.transaction(revoke, { timeoutMillis }))
    options.onRevoked?.(keys)
  })
}

/** The text without the white space and the quotation marks around it, which copying leaves there. */
export function unwrapped(text: string): string {
  return /[^\s"'`](?:.*[^\s"'`])?/s.exec(text)?.[0] ?? ''
}

/** Revokes the chain of a key, unless the key's rotation has dealt with the leak. Sends the same for any key and none. */
async function revokeLeakedChain(
  transaction: Tables,
  key: KeyId,
  runtime: Pick<Runtime, 'now'>,
): Promise<RevokedKey[]> {
  const { organizationId } = key
  const { chainId, now } = (await lockKeyChain(transaction, key)) ?? { chainId: NOTHING, now: runtime.now() }
  const found = await findKeyEnd(transaction, key)
  const chain = await findKeysOfChain(transaction, { organizationId, chainId })
  const isDealtWith = found?.revokedAt != null && found.revokedAt.getTime() === found.expiresAt?.getTime()
  const ids = isDealtWith ? [] : chain
  const keys = await revokeApiKeys(transaction, { organizationId, ids }, { revokedBy: 'LEAK_REPORT', revokedAt: now })
  await endSessions(transaction, organizationId, keys)
  return keys
}

/** Ends the token that has leaked, if one has, and returns its audit event. Sends the same for any token and none. */
async function endLeakedTokens(
  transaction: Tables,
  { session, userToken }: LeakedCredentials,
): Promise<Omit<AuditEvent, 'actor'>[]> {
  const ofKey = { organizationId: session?.organizationId ?? NOTHING, id: session?.apiKeyId ?? NOTHING }
  const key = await findKeyEnd(transaction, ofKey)
  const events: Omit<AuditEvent, 'actor'>[] = []
  if ((await deleteLeakedSession(transaction, session ?? noToken)) && session !== null) {
    events.push(keyEvent('access_token.revoke', { ...ofKey, teamId: key?.teamId ?? null }))
  }
  if ((await deleteUserToken(transaction, userToken ?? noToken)) && userToken !== null) {
    const { organizationId, userId: targetId } = userToken
    events.push({ organizationId, targetId, action: 'user_token.revoke', targetType: 'user' })
  }
  return events
}

/** What to revoke beside the key. */
export interface RevocationScope {
  /** The keys that it was rotated from and to, too. Default false. */
  readonly chain?: boolean
}

/**
 * Revokes a key by its id, for the operator. Returns the ids of the keys that were not revoked before, or `undefined` if
 * there is no such key.
 */
export async function revokeKeyById(
  tables: Tables,
  runtime: Runtime,
  id: string,
  { chain = false }: RevocationScope = {},
): Promise<string[] | undefined> {
  const key = await findApiKey(tables, id)
  if (key === undefined) return undefined
  const { organizationId } = key
  return tables.transaction(async (transaction) => {
    const locked = await lockKeyChain(transaction, { organizationId, id })
    if (locked === undefined) return undefined
    const { chainId, now: revokedAt } = locked
    const ids = chain ? await findKeysOfChain(transaction, { organizationId, chainId }) : [id]
    const keys = await revokeApiKeys(transaction, { organizationId, ids }, { revokedBy: 'OPERATOR', revokedAt })
    await endSessions(transaction, organizationId, keys)
    const events = keys.map((revoked) => ({ ...keyEvent('api_key.revoke', revoked), actor: systemActor }))
    await recordAuditEvents(transaction, events, runtime)
    return keys.map((revoked) => revoked.id)
  })
}

/** The statement is sent even if there is nothing to end. */
function endSessions(transaction: Tables, organizationId: string, keys: readonly RevokedKey[]) {
  return deleteApiKeySessions(transaction, { organizationId, ids: keys.map(({ id }) => id) })
}

/** Turns every failure of the database, and its silence past the timeout, into the one error that revocations throw. */
export async function withDatabase<T>(
  timing: Pick<Timing, 'sleep'>,
  timeoutMillis: number,
  work: () => Promise<T>,
): Promise<T> {
  const settled = new AbortController()
  const silence = async () => {
    // The server ends slow statements itself and reports it; this is for a server that no longer answers.
    await timing.sleep(timeoutMillis + 500, settled.signal)
    throw unavailable(undefined)
  }
  try {
    return await Promise.race([work(), silence()])
  } catch (error) {
    if (error instanceof ServiceError || databaseFailure(error) === undefined) throw error
    throw unavailable(error)
  } finally {
    settled.abort()
  }
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', 'the service is temporarily unavailable; try again', {
    retryAfterSeconds: 1,
    cause,
  })
}
