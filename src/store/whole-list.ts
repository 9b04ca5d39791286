import { Prisma } from '../../gen/prisma/client.js'
import type { PreparedQueryable } from '../db/queryable.js'
import {
  createPreparedStatement,
  type Places,
  type PreparedStatement,
  type StatementDefinition,
} from '../db/statement.js'

/** More rows than nearly every list without pages has. */
const USUAL_ROWS = 1_000

/** The statements of a list without pages. */
export type WholeList<Parameters, Row> = Readonly<Record<'usual' | 'whole', PreparedStatement<Parameters, Row>>>

/** A definition whose text is given a LIMIT clause for the rows of the list's owner. */
export type WholeListDefinition<Parameters, Row> = Omit<StatementDefinition<Parameters, Row>, 'text'> & {
  readonly text: (places: Places<Parameters>, limit: Prisma.Sql) => Prisma.Sql
}

/**
 * Makes the statements of a list without pages.
 *
 * A plan that PostgreSQL keeps for a prepared statement is made for an owner with as many rows as all owners have on
 * average: beside one that has nearly all of the table it would read the whole of it for the smallest list. The limit
 * tells that few are expected, so that the kept plan walks the index of the owner. A list that reaches it is read again.
 */
export function createWholeList<Parameters, Row>({
  name,
  text,
  ...definition
}: WholeListDefinition<Parameters, Row>): WholeList<Parameters, Row> {
  const create = (named: string, limit: Prisma.Sql) =>
    createPreparedStatement<Parameters, Row>({ ...definition, name: named, text: (places) => text(places, limit) })
  return {
    usual: create(name, Prisma.raw(`LIMIT ${USUAL_ROWS}`)),
    whole: create(`${name}_whole`, Prisma.sql`LIMIT ALL`),
  }
}

/** Reads the list. */
export async function readWholeList<Parameters, Row>(
  tables: PreparedQueryable,
  { usual, whole }: WholeList<Parameters, Row>,
  parameters: Parameters,
): Promise<Row[]> {
  const rows = await tables.run(usual, parameters)
  return rows.length < USUAL_ROWS ? rows : tables.run(whole, parameters)
}
