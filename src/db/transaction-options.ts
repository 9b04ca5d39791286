/** How a transaction runs. */
export interface TransactionOptions {
  /** Default: `ReadCommitted`. */
  readonly isolationLevel?: IsolationLevel
  readonly readOnly?: boolean
  /** Nothing more is sent, and nothing committed, once it has aborted; the transaction fails with its reason. */
  readonly signal?: AbortSignal
  /** Budget of the whole, repetitions included, in milliseconds. */
  readonly timeoutMillis?: number | undefined
  /** Its statements may take, and wait, as long as they do, and have more memory: for the work of operators. */
  readonly isUnhurried?: boolean
}

/** Isolation levels under Prisma's names. */
export type IsolationLevel = 'ReadCommitted' | 'RepeatableRead' | 'Serializable'
