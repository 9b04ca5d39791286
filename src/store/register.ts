import type { Statement } from '../db/statement.js'

/** A statement, whatever its parameters and rows. */
export type AnyStatement = Pick<Statement<never, object>, 'name' | 'text'> & {
  readonly columns: Readonly<Record<string, string>>
}

/** Statements by name, in the given order. Throws if two texts have the same name. */
export function createStatementRegister(statements: readonly AnyStatement[]): ReadonlyMap<string, AnyStatement> {
  const register = new Map<string, AnyStatement>()
  for (const statement of statements) {
    const known = register.get(statement.name)
    if (known !== undefined && known.text !== statement.text) {
      throw new Error(`the statement ${statement.name} has two texts`)
    }
    register.set(statement.name, statement)
  }
  return register
}
