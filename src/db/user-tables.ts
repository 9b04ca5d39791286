import type { BoundedPool } from './pool.js'
import type { Models, ModelsClient } from './prisma.js'
import type { Replica } from './replica.js'
import { createSql, deadlineIn, runOn, type Sql, withConnection } from './sql.js'
import type { Statement } from './statement.js'
import type { StatementObserver, Tables, TablesUser, UserTables } from './tables.js'
import {
  type Connected,
  createSavepoints,
  type RetryCounts,
  runTransaction,
  type Timing,
  withRetries,
} from './transaction.js'

/** What tables are made from. */
export interface TablesSource {
  readonly pool: BoundedPool
  readonly client: ModelsClient
  readonly replica: Replica | undefined
  /** The most that one statement may take. */
  readonly statementMillis: number
  readonly timing: Timing
  readonly retries: RetryCounts
}

/** The tables as a user has them, whose transactions run SQL, too, for what is not part of the service. */
export interface SqlTables extends UserTables {
  readonly transaction: <T>(
    work: (tables: Tables & Sql) => Promise<T>,
    options?: Parameters<Tables['transaction']>[1],
  ) => Promise<T>
}

/** Makes the tables for a user. */
export function createTables(source: TablesSource, user: TablesUser): SqlTables {
  const { pool, client, replica, statementMillis, timing, retries } = source
  const { call, organizationId, observers = [], timeoutMillis } = user
  const inShare = <T>(work: () => Promise<T>): Promise<T> =>
    organizationId === undefined ? work() : pool.organizationShares.use(organizationId, work)
  const onPrimary = <Values, Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> =>
    withRetries(
      (left) => {
        const deadline = deadlineIn(left)
        const bounds = { deadline, isNamed: pool.statementNames }
        return withConnection(pool, { deadline, call }, (connection) => runOn(connection, statement, values, bounds))
      },
      { timeoutMillis },
      timing,
      retries,
    )
  const runBy =
    (send: Tables['run']): Tables['run'] =>
    (statement, values) =>
      observe(observers, statement.name, () => inShare(() => send(statement, values)))
  const isPlain = organizationId === undefined && observers.length === 0
  const models = isPlain
    ? client.prisma
    : eachQuery(client.prisma, (name, send) => observe(observers, name, () => inShare(send)))
  const transaction: SqlTables['transaction'] = (work, options = {}) => {
    const startedAt = performance.now()
    const attempt = (left: number | undefined) =>
      runTransaction(source, (connected) => work(tablesIn(connected, pool.statementNames, observers)), options, {
        deadline: deadlineIn(left),
        call,
        statementMillis: Math.min(left ?? statementMillis, statementMillis),
      })
    return tell(
      inShare(() => withRetries(attempt, options, timing, retries)),
      (failure) => {
        for (const observer of observers) observer.transaction(startedAt, failure)
      },
    )
  }
  const tables = { models, run: runBy(onPrimary), transaction }
  if (replica === undefined) return { ...tables, reads: tables }
  const run = runBy(
    async (statement, values) => (await replica.run(statement, values, call)) ?? onPrimary(statement, values),
  )
  return { ...tables, reads: { ...tables, run } }
}

/** The tables in a transaction: models and statements use its connection. */
function tablesIn(connected: Connected, isNamed: boolean, observers: readonly StatementObserver[]): Tables & Sql {
  const { client, throwIfOver } = connected
  const inSavepoint = createSavepoints(client)
  const tables: Tables & Sql = {
    models: eachQuery(connected.models, (name, send) =>
      observe(observers, name, async () => {
        throwIfOver()
        return send()
      }),
    ),
    run: (statement, values) =>
      observe(observers, statement.name, () => runOn(client, statement, values, { ...connected, isNamed })),
    transaction: (work) => inSavepoint(() => work(tables)),
    ...createSql(client, connected),
  }
  return tables
}

function observe<T>(observers: readonly StatementObserver[], name: string, work: () => Promise<T>): Promise<T> {
  if (observers.length === 0) return work()
  const startedAt = performance.now()
  return tell(work(), (failure) => {
    for (const observer of observers) observer.statement(name, startedAt, failure)
  })
}

/** Passes on the promise itself, so that observing delays no one. */
function tell<T>(answer: Promise<T>, settled: (failure: unknown) => void): Promise<T> {
  answer.then(() => settled(undefined), settled)
  return answer
}

/** The same models, each of whose queries is sent by `use`; it is named like `team.findMany`. */
function eachQuery(models: Models, use: (name: string, send: () => Promise<unknown>) => Promise<unknown>): Models {
  return new Proxy(models, {
    get: (all, model) => {
      const queries: unknown = Reflect.get(all, model)
      // Such as `$queryRaw`, which needs the client itself.
      if (typeof queries === 'function') return queries.bind(all)
      if (typeof queries !== 'object' || queries === null) return queries
      return new Proxy(queries, {
        get: (each, operation) => {
          const query: unknown = Reflect.get(each, operation)
          if (typeof query !== 'function') return query
          return (...values: unknown[]) =>
            use(`${String(model)}.${String(operation)}`, async () => Reflect.apply(query, each, values))
        },
      })
    },
  })
}
