import { Prisma } from '../../../gen/prisma/client.js'
import { rowColumns } from './staged-columns.js'
import { equal, listed, type StagedTable } from './staged-table.js'
import type { Expressions } from './transfer-table.js'

/** Locks the rows that stand in the order of their key, so that writers of the API and imports do not deadlock. */
export function lockText({ table, staged, identity, resource }: StagedTable): Prisma.Sql {
  const order = Prisma.raw(resource.table.key.map((column) => `t.${column}`).join(', '))
  return Prisma.sql`
SELECT FROM ${table} t JOIN ${staged} s ON ${equal(identity, 't', 's')} ORDER BY ${order} FOR NO KEY UPDATE OF t`
}

/**
 * Writes every staged row, new ones in the order of their first lines, and answers `created`, how many are new. Rows
 * that stand keep what is not named, their place in the order of creation above all.
 */
export function upsertText({ table, staged, identity, owner, resource, values }: StagedTable): Prisma.Sql {
  const given = [...Object.keys(rowColumns(resource)), ...Object.keys(owner?.gives ?? {})]
  const columns = { ...storedValues('s', given), ...values }
  const { key } = resource.table
  const others = Object.keys(columns).filter((column) => !key.includes(column))
  return Prisma.sql`
WITH written AS (
  INSERT INTO ${table} (${listed(Object.keys(columns))})
  SELECT ${Prisma.join(Object.values(columns))}
  FROM ${staged} s LEFT JOIN ${table} t ON ${equal(identity, 't', 's')}
  ORDER BY s.first_line
  ON CONFLICT (${listed(key)}) DO UPDATE SET ${excluded(others)}
  RETURNING xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new)::integer AS created FROM written`
}

/**
 * The values of columns of a row that SQL knows by a name, where `t` is the row that stands: a time at which it was made or
 * changed stays where the record has none.
 */
export function storedValues(name: string, columns: readonly string[]): Expressions {
  return Object.fromEntries(columns.map((column) => [column, Prisma.raw(storedValue(name, column))]))
}

function storedValue(name: string, column: string): string {
  if (column === 'created_at') return `coalesce(${name}.created_at, t.created_at, now())`
  if (column === 'updated_at') return `coalesce(${name}.updated_at, t.updated_at, ${name}.created_at, now())`
  return `${name}.${column}`
}

/** Assigns columns what would have been inserted. */
export function excluded(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.map((column) => `${column} = EXCLUDED.${column}`).join(', '))
}
