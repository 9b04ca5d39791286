import type { BoundedPool } from './pool.js'
import type { Models, ModelsClient } from './prisma.js'
import type { Replica } from './replica.js'
import { type RetryCounts, type Timing, withRetries } from './retries.js'
import { beginSnapshot, readSnapshot } from './snapshot.js'
import { deadlineIn, runOn } from './statement.js'
import type { StatementObserver, Tables, TablesUser, UserTables } from './tables.js'
import { type Connected, inSavepoint, runTransaction } from './transaction.js'

export interface TablesSource {
  readonly pool: BoundedPool
  readonly client: ModelsClient
  readonly replica?: Replica | undefined
  readonly timing: Timing
  readonly retries: RetryCounts
}

/** Made for every call: of values alone, since accessors would give each a hidden class of its own. */
export function createTables(source: TablesSource, user: TablesUser): UserTables {
  const { replica } = source
  const tables = tablesReading(source, user, undefined)
  return Object.assign(tables, { reads: replica === undefined ? tables : tablesReading(source, user, replica) })
}

/** Tables that read from a replica, if there is one and it is fresh enough. */
function tablesReading(
  source: TablesSource,
  user: TablesUser,
  replica: Replica | undefined,
): Omit<UserTables, 'reads'> {
  const { pool, client, timing, retries } = source
  const { call, organizationId, address, timeoutMillis, observers = [] } = user
  // No id of an organization has a space.
  const sharer = organizationId ?? (address && `address ${address}`)
  const { shares, workers, statementNames: isNamed } = pool
  const isDistributed = workers !== undefined

  /** `asked`, the values of a statement or the arguments of a query, name the organization where nobody else does. */
  const withinShare = <T>(work: () => Promise<T>, asked?: unknown): Promise<T> => {
    const onWorker = workers ? () => workers.use(organizationId ?? organizationNamedIn(asked), work) : work
    return sharer === undefined ? onWorker() : shares.use(onWorker, { of: sharer })
  }
  const observed = <T>(name: string, work: () => Promise<T>, asked: unknown): Promise<T> =>
    observe(observers, name, () => withinShare(work, asked))

  return {
    isDistributed,
    models: eachQuery(client.prisma, (name, send, asked) =>
      observed(name, () => withRetries(send, user, timing, retries), asked),
    ),
    run: (statement, values) => {
      const attempt = (left: number | undefined) => {
        const deadline = deadlineIn(left)
        return pool.use({ deadline, call }, (client) => runOn(client, statement, values, { deadline, isNamed }))
      }
      const onPrimary = () => withRetries(attempt, user, timing, retries)
      const work =
        replica === undefined ? onPrimary : async () => (await replica.run(statement, values, call)) ?? onPrimary()
      return observed(statement.name, work, values)
    },
    readSnapshot: async function* (statements, parameters) {
      await pool.longTransactions.acquire({ of: organizationId })
      try {
        const client = (await source.replica?.beginSnapshot()) ?? (await beginSnapshot(pool, call))
        yield* readSnapshot(client, statements, parameters)
      } finally {
        pool.longTransactions.release(organizationId)
      }
    },
    transaction: (work, options = {}) => {
      const startedAt = performance.now()
      const attempt = (left: number | undefined) =>
        runTransaction(source, (connected) => work(tablesIn(connected, isDistributed, observers)), options, {
          deadline: deadlineIn(left),
          call,
          statementMillis: Math.min(left ?? pool.statementMillis, pool.statementMillis),
        })
      const run = () => withRetries(attempt, { signal: options.signal, timeoutMillis }, timing, retries)
      // The work of operators may take long: calls and what goes on beside them do not wait for it.
      const begin = options.withoutTimeout === true ? run : () => withinShare(run)
      const taker = { of: organizationId, deadline: deadlineIn(timeoutMillis) }
      return recorded(options.isLong === true ? pool.longTransactions.use(begin, taker) : begin(), (failure) => {
        for (const observer of observers) observer.transaction(startedAt, failure)
      })
    },
  }
}

/** The organization that the values of a statement or the arguments of a query name; undefined for none. */
function organizationNamedIn(asked: unknown, depth = 0): string | undefined {
  if (typeof asked !== 'object' || asked === null) return undefined
  const named: unknown = Reflect.get(asked, 'organizationId')
  if (typeof named === 'string') return named
  if (depth === 2) return undefined
  const parts = depth === 0 ? [Reflect.get(asked, 'where'), Reflect.get(asked, 'data')] : Object.values(asked)
  return parts.map((part) => organizationNamedIn(part, depth + 1)).find((each) => each !== undefined)
}

/** The tables in a transaction: models and statements use its connection. */
function tablesIn(connected: Connected, isDistributed: boolean, observers: readonly StatementObserver[]): Tables {
  const { client, throwIfOver } = connected
  const tables: Tables = {
    isDistributed,
    models: eachQuery(connected.models, (name, send) =>
      observe(observers, name, async () => {
        throwIfOver()
        return send()
      }),
    ),
    run: (statement, values) => observe(observers, statement.name, () => runOn(client, statement, values, connected)),
    transaction: (work) => inSavepoint(client, () => work(tables)),
  }
  return tables
}

function observe<T>(observers: readonly StatementObserver[], name: string, work: () => Promise<T>): Promise<T> {
  if (observers.length === 0) return work()
  const startedAt = performance.now()
  return recorded(work(), (failure) => {
    for (const observer of observers) observer.statement(name, startedAt, failure)
  })
}

/** Passes on the promise itself, so that observing delays no one. */
function recorded<T>(answer: Promise<T>, settled: (failure: unknown) => void): Promise<T> {
  answer.then(() => settled(undefined), settled)
  return answer
}

/** Wraps models so that `use` sends each query, which it gets with a name such as `team.findMany`. */
function eachQuery(
  models: Models,
  use: (name: string, send: () => Promise<unknown>, query: unknown) => Promise<unknown>,
): Models {
  const sent = (name: string, of: object, query: unknown) =>
    typeof query !== 'function'
      ? query
      : (...values: unknown[]) => use(name, async () => Reflect.apply(query, of, values), values[0])
  return new Proxy(models, {
    get: (all, model) => {
      const queries: unknown = Reflect.get(all, model)
      // Such as `$queryRaw`.
      if (typeof queries !== 'object' || queries === null) return sent(String(model), all, queries)
      return new Proxy(queries, {
        get: (each, operation) => sent(`${String(model)}.${String(operation)}`, each, Reflect.get(each, operation)),
      })
    },
  })
}
