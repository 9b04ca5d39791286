import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Places, type Statement, type StatementDefinition } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import type { Resource } from './resource/resource.js'
import { listText } from './resource/text-parts.js'

/** More items than nearly every list without pages has. */
const USUAL_ITEMS = 1_000

/** A list as one text, and how many items it has. */
export interface WholeListRow extends PrintedRow {
  readonly size: number
}

/** The types of its columns. */
export const wholeListColumns = { json: 'text', size: 'int4' } as const

/** What is selected from the rows of the list. */
export function wholeListText(resource: Resource, order: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${listText(rowText(resource), order)} AS json, count(*)::int AS size`
}

/** The statements of a list without pages. */
export type WholeList<Parameters, Row> = Readonly<Record<'usual' | 'whole', Statement<Parameters, Row>>>

/** A definition whose text receives a LIMIT clause for the rows of the list's owner. */
export type WholeListDefinition<Parameters, Row> = Omit<StatementDefinition<Parameters, Row>, 'reason' | 'text'> & {
  readonly text: (places: Places<Parameters>, limit: Prisma.Sql) => Prisma.Sql
}

/**
 * Makes the statements of a list without pages; they answer one row, or none where there is no owner.
 *
 * The plan that PostgreSQL keeps for a prepared statement assumes an owner with an average number of rows: if one owner
 * has nearly the whole table, it would read all of it even for the smallest list. The limit says that few rows are
 * expected, so the kept plan walks the index of the owner. A list that reaches the limit is read again.
 */
export function createWholeList<Parameters, Row extends WholeListRow>({
  name,
  text,
  ...definition
}: WholeListDefinition<Parameters, Row>): WholeList<Parameters, Row> {
  const create = (named: string, limit: Prisma.Sql) =>
    createStatement<Parameters, Row>({
      ...definition,
      name: named,
      text: (places) => text(places, limit),
    })
  return {
    usual: create(name, Prisma.raw(`LIMIT ${USUAL_ITEMS}`)),
    whole: create(`${name}_whole`, Prisma.sql`LIMIT ALL`),
  }
}

/** Reads the list; undefined if there is no owner. */
export async function readWholeList<Parameters, Row extends WholeListRow>(
  tables: Tables,
  { usual, whole }: WholeList<Parameters, Row>,
  parameters: Parameters,
): Promise<Row | undefined> {
  const [list] = await tables.run(usual, parameters)
  if (list === undefined || list.size < USUAL_ITEMS) return list
  const [all] = await tables.run(whole, parameters)
  return all
}
