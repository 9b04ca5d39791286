import type { SnapshotTables, Tables } from '../../db/tables.js'
import type { WriteContext } from '../../runtime/runtime.js'
import type { Caller } from './caller.js'

/** The tables as a call uses them. */
export interface CallTables {
  /**
   * What runs on them ends with the call. With an `Idempotency-Key` they are those of
   * the transaction in which the response is kept.
   */
  readonly tables: Tables
  /** The same for lists and snapshots, which a replica may answer. */
  readonly reads: Tables
  /** Rows one by one, which a replica may answer too. */
  readonly readSnapshot: SnapshotTables['readSnapshot']
}

/** What one call needs, made when it is admitted. */
export interface Scope extends WriteContext, CallTables {
  readonly caller: Caller
  /** Gives up the place among the running calls, until the caller is admitted again: others may run meanwhile. */
  readonly leave: () => void
  /** Admits the caller again, as of now. Throws what admission throws. */
  readonly readmit: () => Promise<Scope>
}
