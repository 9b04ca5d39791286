import { createStatement, type Statement, type StatementDefinition } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/** A statement, as a function that returns its rows. */
export function queryOf<Parameters, Row>(statement: Statement<Parameters, Row>) {
  return ({ run }: Pick<Tables, 'run'>, values: Parameters) => run(statement, values)
}

/** Makes a statement, as a function that returns its rows: none, unless their type is given. */
export function createQuery<Parameters, Row = Record<never, never>>(definition: StatementDefinition<Parameters, Row>) {
  return queryOf(createStatement(definition))
}
