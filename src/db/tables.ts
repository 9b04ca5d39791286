import type { Models } from './prisma.js'
import { createStatement, type Statement, type StatementDefinition } from './statement.js'

/** The tables: of the database, of a call, or in a transaction. Stores take them. */
export interface Tables {
  /** Whether the tables are distributed over the workers of a cluster by organization. */
  readonly isDistributed: boolean
  readonly models: Models
  readonly run: <Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters) => Promise<Row[]>
  /**
   * Runs the work in a transaction, which is retried as a whole if it conflicts with another one. In a transaction,
   * runs it in a savepoint: if it throws, only its own changes are undone.
   */
  readonly transaction: <T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions) => Promise<T>
}

/** The first row that a statement returns; undefined if there is none. */
export async function firstRow<Parameters, Row>(
  { run }: Pick<Tables, 'run'>,
  statement: Statement<Parameters, Row>,
  values: Parameters,
): Promise<Row | undefined> {
  const [row] = await run(statement, values)
  return row
}

/** Makes a statement, as a function that returns its first row; undefined if there is none. */
export function createLookUp<Parameters, Row>(definition: StatementDefinition<Parameters, Row>) {
  const statement = createStatement(definition)
  return (tables: Pick<Tables, 'run'>, values: Parameters) => firstRow(tables, statement, values)
}

/** A statement, as a function that returns its rows. */
export function queryOf<Parameters, Row>(statement: Statement<Parameters, Row>) {
  return ({ run }: Pick<Tables, 'run'>, values: Parameters) => run(statement, values)
}

/** Makes a statement, as a function that returns its rows: none, unless their type is given. */
export function createQuery<Parameters, Row = Record<never, never>>(definition: StatementDefinition<Parameters, Row>) {
  return queryOf(createStatement(definition))
}

export interface TransactionOptions {
  /** Once it has aborted, nothing more is sent or committed; the transaction fails with its reason. */
  readonly signal?: AbortSignal | undefined
  /** It changes hundreds of rows: such transactions may have a third of the connections, so that others find one. */
  readonly isLong?: boolean
  /** Its statements may run and wait without limit, and use more memory: for the work of operators. */
  readonly withoutTimeout?: boolean
}

/** Observes statements and transactions. Must not throw. Times are on the clock of `performance.now`. */
export interface StatementObserver {
  /**
   * A statement was answered, or failed with `failure`; waits and retries count. `name` is the statement's; for queries
   * of Prisma's models it is the model and the operation, such as `team.findMany`.
   */
  statement(name: string, startedAt: number, failure: unknown): void
  /** A transaction was committed, or failed with `failure`. */
  transaction(startedAt: number, failure: unknown): void
}

/** For whom the tables are used. */
export interface TablesUser {
  /** `stop` of the database cancels what runs for it. Queries of models outside transactions end at their own limit. */
  readonly call?: object | undefined
  /**
   * Limits the calls of one organization to all connections but two, and at least half; in a cluster, of the
   * connections that may wait for one worker.
   */
  readonly organizationId?: string | undefined
  /** Of a caller whose organization is unknown; its calls have the share of one. */
  readonly address?: string | undefined
  readonly observers?: readonly StatementObserver[] | undefined
  /** How long each statement, or a whole transaction, may take, retries included, in milliseconds. */
  readonly timeoutMillis?: number | undefined
}

/** The tables as one user has them. */
export interface UserTables extends Tables {
  /**
   * Yields the rows of statements with the same parameters, in batches, all as of one moment. Keeps one of the
   * connections for long transactions until the caller stops.
   */
  readonly readSnapshot: <Parameters, Row>(
    statements: readonly Statement<Parameters, Row>[],
    parameters: Parameters,
  ) => AsyncGenerator<Row[]>
  /** The tables for lists and snapshots: a replica runs the statements if one is fresh enough. */
  readonly reads: Tables
}
