import { databaseFailure } from '../db/errors.js'
import type { Tables } from '../db/tables.js'
import { type ErrorCode, ServiceError } from '../errors.js'
import {
  claimIdempotencyKey,
  type ExecutedCall,
  findIdempotencyKey,
  type IdempotencyName,
  type StoredAnswer,
  storeIdempotencyAnswer,
} from '../store/idempotency-key.js'
import { actorOf } from './audit/audit-event.js'
import type { CallContext } from './caller/caller.js'
import { takenValueError, takenValueOf } from './value/taken-value.js'

/** A call with a key of its caller's, so that it is executed only once. */
export interface NamedCall {
  readonly method: string
  readonly key: string
  readonly requestHash: Uint8Array
  /** Whether the transaction may be long: such transactions share a limited number of connections. */
  readonly isLong: boolean
  /** Whether the call has effects outside the database: it commits before them, and stores the answer afterwards. */
  readonly sendsOut: boolean
}

export interface KeptAnswer {
  readonly json: string
  readonly entityTag: string | null
}

type Execute = (tables: Tables) => Promise<KeptAnswer>

const KEPT_SECONDS = 86_400

/** Errors for which the call itself is at fault, so that they are answered the same each time. */
const keptCodes: ReadonlySet<ErrorCode> = new Set([
  'invalid_argument',
  'not_found',
  'already_exists',
  'failed_precondition',
])

export type AnswerOnce = ReturnType<typeof createAnswerOnce>

/**
 * Makes the function that executes a call with an idempotency key, or returns the stored answer if the call was
 * executed within the last 24 hours. `execute` writes to the tables that it is passed, and its writes are committed
 * together with the answer. A call with `sendsOut` commits before its effects outside: if the process dies before the
 * answer is stored, the call is executed again. Concurrent calls with the same key wait for each other. Throws what
 * `execute` throws, again for each repetition if the call itself is at fault, and `IDEMPOTENCY_KEY_REUSED`. A process
 * has only one.
 */
export function createAnswerOnce() {
  const withMutex = createMutexes()
  return async (
    context: Pick<CallContext, 'caller' | 'tables' | 'runtime'>,
    call: NamedCall,
    execute: Execute,
  ): Promise<KeptAnswer & Pick<Outcome, 'isReplayed'>> => {
    const { organizationId } = context.caller
    const { kind: actorKind, id: actorId } = actorOf(context.caller)
    const name = { organizationId, actorKind, actorId, method: call.method, key: call.key }
    const mutexName = Object.values(name).join(' ')
    const { answer, entityTag, error, isReplayed } = await withMutex(mutexName, () =>
      once(context, name, call, execute),
    )
    if (error !== null) throw new ServiceError(error.reason, error.message, { ...error, isReplayed })
    if (answer === null) throw new Error('the stored response is incomplete')
    return { json: answer, entityTag, isReplayed }
  }
}

/** The outcome of a call with a key, and whether an earlier call produced it. */
type Outcome = StoredAnswer & { readonly isReplayed: boolean }

async function once(
  { tables, runtime }: Pick<CallContext, 'tables' | 'runtime'>,
  name: IdempotencyName,
  { requestHash, isLong, sendsOut }: NamedCall,
  execute: Execute,
): Promise<Outcome> {
  const known = await findIdempotencyKey(tables, name)
  if (known !== undefined && known.expiresAt > runtime.now()) return replayed(known, requestHash)
  const claim = { requestHash, keptSeconds: KEPT_SECONDS, ...name }
  for (;;) {
    let isClaimed = false
    try {
      return await tables.transaction(
        async (transaction) => {
          isClaimed = false
          isClaimed = (await claimIdempotencyKey(transaction, claim)) !== undefined
          if (!isClaimed) return replayed(await findIdempotencyKey(transaction, name), requestHash)
          const outcome = await outcomeOf(() => (sendsOut ? execute(tables) : transaction.transaction(execute)))
          await storeIdempotencyAnswer(transaction, name, outcome)
          return { ...outcome, isReplayed: false }
        },
        { isLong },
      )
    } catch (error) {
      // Another process is executing the call and takes longer than a statement may wait for a lock.
      const isWaiting = !isClaimed && databaseFailure(error)?.kind === 'timeout'
      if (!isWaiting) throw error
    }
  }
}

/** Executes the call, and returns its answer, or a failure that is stored like one; throws others. */
async function outcomeOf(execute: () => Promise<KeptAnswer>): Promise<StoredAnswer> {
  try {
    const { json, entityTag } = await execute()
    return { answer: json, entityTag, error: null }
  } catch (thrown) {
    const taken = takenValueOf(thrown)
    const error = taken === undefined ? thrown : takenValueError(taken, thrown)
    if (!(error instanceof ServiceError) || !keptCodes.has(error.code)) throw thrown
    const { reason, message, metadata, violations } = error
    return { answer: null, entityTag: null, error: { reason, message, metadata, violations } }
  }
}

function replayed(executed: ExecutedCall | undefined, requestHash: Uint8Array): Outcome {
  if (executed === undefined) throw new Error('the stored response is missing')
  if (!Buffer.from(requestHash).equals(executed.requestHash)) {
    const message = 'the Idempotency-Key was already used for a different request: send a new key with each request'
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED', message)
  }
  return { ...executed, isReplayed: true }
}

/** Runs work of the same name one after the other. Those who wait occupy nothing, above all no database connection. */
function createMutexes(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    for (let before = running.get(name); before !== undefined; before = running.get(name)) await before
    const mine = work()
    const end = () => running.delete(name)
    running.set(name, mine.then(end, end))
    return mine
  }
}
