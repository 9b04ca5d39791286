import type { StatementObserver } from '../db/observed-database.js'

/** Statements that answer several calls at once, such as the look-up of the tokens of all who have come meanwhile. */
export interface SharedStatements extends StatementObserver {
  /**
   * Tells a call the statements that begin from now on, the first of each name, until the function that is answered is
   * called.
   */
  tell(call: StatementObserver): () => void
}

interface Waiter {
  readonly call: StatementObserver
  readonly since: number
  readonly told: string[]
}

/** Makes the list of those who wait, which is short: of calls that are traced alone. */
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
