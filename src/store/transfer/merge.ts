import { Prisma } from '../../../gen/prisma/client.js'
import { listColumns, rowColumns } from './staged-columns.js'
import { equal, type StagedTable } from './staged-table.js'
import type { TransferTable } from './transfer-table.js'

/** The columns of the staging table that fields give, named by their local names. */
export function givenColumns({ resource, elsewhere = {} }: TransferTable, fields: ReadonlySet<string>): string[] {
  const given = { ...resource, fields: resource.fields.filter(({ field }) => fields.has(field.localName)) }
  const others = Object.entries(elsewhere).flatMap(([field, columns]) => (fields.has(field) ? columns : []))
  return [...Object.keys(rowColumns(given)), ...Object.keys(listColumns(given)), ...others]
}

/** Completes staged rows, except for what they give and what the server fills in, by the rows that stand. */
export function mergeText(kind: StagedTable): Prisma.Sql {
  const { table, staged, identity, owner, resource, values = {}, elsewhere = {} } = kind
  const own = Object.keys(rowColumns(resource)).filter((column) => {
    return !identity.includes(column) && owner?.gives[column] === undefined && values[column] === undefined
  })
  const kept = [...own, ...Object.values(elsewhere).flat()]
  const assigned = kept.map((name) => `${name} = CASE WHEN '${name}' = ANY (s.given) THEN s.${name} ELSE t.${name} END`)
  return Prisma.sql`
UPDATE ${staged} s SET ${Prisma.raw(assigned.join(', '))} FROM ${table} t WHERE ${equal(identity, 't', 's')} AND s.given IS NOT NULL`
}

/** Whether the staged row `s` gives a list. */
export function givesList(list: string): Prisma.Sql {
  return Prisma.raw(`(s.given IS NULL OR '${list}' = ANY (s.given))`)
}
