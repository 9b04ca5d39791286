import { databaseFailure } from '../../db/errors.js'
import type { PreparedTransaction, Store } from '../../db/queryable.js'
import type { Timing } from '../../db/transaction.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findApiKey, type RevokedKey, revokeKeyOfId, revokeKeyOfSecret } from '../../store/api-key.js'
import { deleteApiKeySessions } from '../../store/api-key-session.js'
import { type Actor, anonymousActor, recordAuditEvents, systemActor } from '../audit/audit-event.js'
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
  /** Told after every revocation that was done how many keys it has ended: none or one, at the same price. */
  readonly onRevoked?: ((keys: number) => void) | undefined
}

/**
 * Revokes the live key of a secret, if there is one. Neither the result nor the timing reveals whether there was: the
 * same statements run for every text, and the answer, even a failure, leaves on a time grid. Once it resolves, no
 * process accepts a token of the key. Throws `SERVICE_UNAVAILABLE` if the database did not answer in time; the key may
 * have been revoked all the same, and the call can be repeated.
 */
export function revokeLeakedKey(options: RevocationOptions, secret: string, requestId: string): Promise<void> {
  const { database, hasher, runtime, timing, timeoutMillis = 5_000 } = options
  const revoke = async (transaction: PreparedTransaction) => {
    // Text that does not have the form of a secret is not even hashed: it may be a password that somebody pasted.
    const candidates = inspectApiKeySecret(secret).ok
      ? hasher.candidates(secret)
      : hasher.candidates('').map(() => runtime.randomBytes(32))
    const keys = await revokeKeyOfSecret(transaction, candidates)
    await endSessions(transaction, keys, { runtime, actor: anonymousActor, requestId })
    return keys.length
  }
  return onTimeGrid(timing, async () => {
    const keys = await withDatabase(timing, timeoutMillis, () =>
      database.preparedTransaction(revoke, { timeoutMillis }),
    )
    options.onRevoked?.(keys)
  })
}

/** Revokes a key by its id, for the operator. Returns `undefined` if there is no such key. */
export async function revokeKeyById(
  tables: Store,
  runtime: Runtime,
  id: string,
): Promise<{ readonly revokedNow: boolean } | undefined> {
  const key = await findApiKey(tables, id)
  if (key === undefined) return undefined
  const { organizationId } = key
  return tables.preparedTransaction(async (transaction) => {
    const keys = await revokeKeyOfId(transaction, { organizationId, id })
    await endSessions(transaction, keys, { runtime, actor: systemActor })
    return { revokedNow: keys.length > 0 }
  })
}

interface RevocationCircumstances {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly requestId?: string
}

/** No key. */
const nobody = { organizationId: '', id: '' }

/** Ends the sessions and writes the audit event; sends the same statements even if there is nothing to end. */
async function endSessions(
  transaction: PreparedTransaction,
  keys: readonly RevokedKey[],
  circumstances: RevocationCircumstances,
) {
  const { runtime, actor, requestId } = circumstances
  const [first = nobody, ...others] = keys
  for (const { organizationId, id } of [first, ...others])
    await deleteApiKeySessions(transaction, { organizationId, id })
  const events = keys.map(({ id, organizationId, teamId }) => ({
    organizationId,
    actor,
    action: 'api_key.revoke',
    targetType: 'api_key',
    targetId: id,
    teamId: teamId ?? undefined,
    requestId,
  }))
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
