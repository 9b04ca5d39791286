/** How a transaction runs. */
export interface TransactionOptions {
  /** Default: `ReadCommitted`. */
  readonly isolationLevel?: IsolationLevel
  readonly readOnly?: boolean
  /** Once it has aborted, nothing more is sent or committed; the transaction fails with its reason. */
  readonly signal?: AbortSignal
  /** Budget for everything, repetitions included, in milliseconds. */
  readonly timeoutMillis?: number | undefined
  /** It changes hundreds of rows: such transactions may have a third of the connections, so that others find one. */
  readonly isLong?: boolean
  /** Its statements may run and wait without limit, and use more memory: for the work of operators. */
  readonly isUnhurried?: boolean
}

/** Isolation levels under Prisma's names. */
export type IsolationLevel = 'ReadCommitted' | 'RepeatableRead' | 'Serializable'
