import { databaseFailure } from '../../db/errors.js'
import type { PreparedTransaction, Store } from '../../db/queryable.js'
import type { Timing } from '../../db/transaction.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findApiKey, findKeyOfSecret, type RevokedKey, revokeKeyChain, revokeKeyOfId } from '../../store/api-key.js'
import { lockKeyChain } from '../../store/api-key-rotation.js'
import { deleteApiKeySessions } from '../../store/api-key-session.js'
import { type Actor, anonymousActor, recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { keyEvent } from './api-key-event.js'
import { inspectApiKeySecret } from './api-key-secret.js'
import type { SecretHasher } from './secret-hash.js'
import { onTimeGrid } from './time-grid.js'

/** What revoking needs. */
export interface RevocationOptions {
  readonly database: Pick<Store, 'preparedTransaction'>
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

/**
 * Revokes the key of a secret, if there is one, and with it the whole chain of keys that it was rotated from and to, even
 * if the key itself has been revoked before; unless it was rotated without an overlap, which is how an operator deals
 * with a leak. Neither the result nor the timing reveals
 * whether there was one: the same statements run for every text, and the answer, even a failure, leaves on a time grid.
 * Once it resolves, no process accepts a token of these keys. Throws `SERVICE_UNAVAILABLE` if the database did not
 * answer in time; the keys may have been revoked all the same, and the call can be repeated.
 */
export function revokeLeakedKey(options: RevocationOptions, secret: string, requestId: string): Promise<void> {
  const { database, hasher, runtime, timing, timeoutMillis = 5_000 } = options
  const revoke = async (transaction: PreparedTransaction) => {
    // Text that does not have the form of a secret is not even hashed: it may be a password that somebody pasted.
    const candidates = inspectApiKeySecret(secret).ok
      ? hasher.candidates(secret)
      : hasher.candidates('').map(() => runtime.randomBytes(32))
    const { organizationId, id } = (await findKeyOfSecret(transaction, candidates)) ?? {
      organizationId: NOTHING,
      id: NOTHING,
    }
    const chainId = (await lockKeyChain(transaction, { organizationId, id })) ?? NOTHING
    const chain = { organizationId, chainId, leaked: id, revokedBy: 'LEAK_REPORT' } as const
    const keys = await revokeKeyChain(transaction, chain)
    await endSessions(transaction, organizationId, keys)
    await recordRevocations(transaction, keys, { runtime, actor: anonymousActor, requestId })
    return keys.length
  }
  return onTimeGrid(timing, async () => {
    const keys = await withDatabase(timing, timeoutMillis, () =>
      database.preparedTransaction(revoke, { timeoutMillis }),
    )
    options.onRevoked?.(keys)
  })
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
  tables: Store,
  runtime: Runtime,
  id: string,
  { chain = false }: RevocationScope = {},
): Promise<string[] | undefined> {
  const key = await findApiKey(tables, id)
  if (key === undefined) return undefined
  const { organizationId } = key
  return tables.preparedTransaction(async (transaction) => {
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
function endSessions(transaction: PreparedTransaction, organizationId: string, keys: readonly RevokedKey[]) {
  return deleteApiKeySessions(transaction, { organizationId, ids: keys.map(({ id }) => id) })
}

interface RevocationCircumstances {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly requestId?: string
}

/** An audit event for each key; the statement is sent even for none. */
async function recordRevocations(
  transaction: PreparedTransaction,
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
