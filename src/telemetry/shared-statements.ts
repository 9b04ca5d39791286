import type { StatementObserver } from '../db/tables.js'

/** Statements that serve several calls at once, such as looking up the tokens of calls that arrived together. */
export interface SharedStatements extends StatementObserver {
  /**
   * Reports to a call the statements that begin from now on, the first of each name, until the returned function is
   * called.
   */
  tell(call: StatementObserver): () => void
}

interface Waiter {
  readonly call: StatementObserver
  readonly since: number
  readonly told: string[]
}

/** Makes the list of waiting calls, which is short because it has only traced ones. */
export function createSharedStatements(): SharedStatements {
  let waiting: Waiter[] = []
  return {
    tell: (call) => {
      const waiter = { call, since: performance.now(), told: [] }
      waiting.push(waiter)
      return () => {
        waiting = waiting.filter((each) => each !== waiter)
      }
    },
    statement: (name, startedAt, failure) => {
      for (const { call, since, told } of waiting) {
        if (startedAt < since || told.includes(name)) continue
        told.push(name)
        call.statement(name, startedAt, failure)
      }
    },
    transaction: () => {},
  }
}
