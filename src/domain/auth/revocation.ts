import { databaseFailure } from '../../db/errors.js'
import type { Tables } from '../../db/tables.js'
import type { Timing } from '../../db/transaction.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findApiKey, type RevokedKey, revokeKeyChain, revokeKeyOfId } from '../../store/api-key.js'
import { lockKeyChain } from '../../store/api-key-rotation.js'
import { deleteApiKeySessions } from '../../store/api-key-session.js'
import {
  deleteLeakedToken,
  findLeaked,
  type LeakedCredential,
  type LeakedToken,
} from '../../store/leaked-credential.js'
import { type Actor, type AuditEvent, anonymousActor, recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { keyEvent } from './api-key-event.js'
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
/** Stands for text that is not a credential; matches no key and no token. */
const nothingLeaked: LeakedCredential = { organizationId: NOTHING, keyId: NOTHING, tokenHash: new Uint8Array(32) }

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
    const { organizationId, keyId: id, tokenHash } = (await findLeaked(transaction, candidates)) ?? nothingLeaked
    const chainId = (await lockKeyChain(transaction, { organizationId, id })) ?? NOTHING
    const chain = { organizationId, chainId, leaked: id, revokedBy: 'LEAK_REPORT' } as const
    const keys = await revokeKeyChain(transaction, chain)
    await endSessions(transaction, organizationId, keys)
    const tokens = await deleteLeakedToken(transaction, { organizationId, tokenHash })
    const events = [...keys.map((key) => keyEvent('api_key.revoke', key)), ...tokens.map(tokenEvent)]
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

/** The audit event of a token that was ended: of its key or of its user. */
function tokenEvent({ organizationId, targetId, isOfUser, teamId }: LeakedToken): Omit<AuditEvent, 'actor'> {
  const event = { organizationId, targetId, teamId: teamId ?? undefined }
  return isOfUser
    ? { ...event, action: 'user_token.revoke', targetType: 'user' }
    : { ...event, action: 'access_token.revoke', targetType: 'api_key' }
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
    const chainId = chain ? await lockKeyChain(transaction, { organizationId, id }) : undefined
    const revokedBy = 'OPERATOR'
    const keys =
      chainId === undefined
        ? await revokeKeyOfId(transaction, { organizationId, id }, revokedBy)
        : await revokeKeyChain(transaction, { organizationId, chainId, leaked: null, revokedBy })
    await endSessions(transaction, organizationId, keys)
    await recordRevocations(transaction, keys, { runtime, actor: systemActor })
    return keys.map((revoked) => revoked.id)
  })
}

/** The statement is sent even if there is nothing to end. */
function endSessions(transaction: Tables, organizationId: string, keys: readonly RevokedKey[]) {
  return deleteApiKeySessions(transaction, { organizationId, ids: keys.map(({ id }) => id) })
}

interface RevocationCircumstances {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly requestId?: string
}

/** An audit event for each key; the statement is sent even for none. */
async function recordRevocations(
  transaction: Tables,
  keys: readonly RevokedKey[],
  { runtime, actor, requestId }: RevocationCircumstances,
) {
  const events = keys.map((key) => ({ ...keyEvent('api_key.revoke', key), actor, requestId }))
  await recordAuditEvents(transaction, events, runtime)
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
