import { Prisma } from '../../../gen/prisma/client.js'
import type { Places } from '../../db/statement.js'
import { equal, listColumns, listed, rowColumns, type StagedTable } from './staged-table.js'
import type { Expressions, TransferTable } from './transfer-table.js'

/** Rows of one organization, by the column that identifies them there. */
export interface StandingRows {
  readonly organizationId: string
  readonly ids: readonly string[]
}

/** Finds the existing rows, organization by organization. */
export function standingText({ table, staged, identity }: StagedTable): Prisma.Sql {
  const [organization, id] = tenantKey(identity)
  return Prisma.sql`
SELECT t.${organization} AS "organizationId", array_agg(t.${id}::text) AS ids
  FROM ${table} t JOIN ${staged} s ON ${equal(identity, 't', 's')}
 GROUP BY t.${organization} ORDER BY t.${organization}`
}

/** Locks rows of one organization in key order, so that writers of the API and imports do not deadlock. */
export function lockText(
  { table, identity, resource }: StagedTable,
  { organizationId, ids }: Places<StandingRows>,
): Prisma.Sql {
  const [organization, id] = tenantKey(identity)
  const type = Prisma.raw(resource.table.columns[String(identity.at(-1))]?.type ?? 'text')
  return Prisma.sql`
SELECT FROM ${table} WHERE ${organization} = ${organizationId} AND ${id} = ANY (${ids}::${type}[]) ORDER BY ${id} FOR NO KEY UPDATE`
}

/** The column of the organization, and the one that identifies its rows; an organization is its own. */
function tenantKey(identity: readonly string[]): readonly [Prisma.Sql, Prisma.Sql] {
  return [Prisma.raw(String(identity[0])), Prisma.raw(String(identity.at(-1)))]
}

/**
 * Writes every staged row, new ones in the order of their first lines, and returns `created`, the number of new ones.
 * Existing rows keep what is not named, including their place in the order of creation.
 */
export function upsertText({ table, staged, identity, owner, resource, values }: StagedTable): Prisma.Sql {
  const given = [...Object.keys(rowColumns(resource)), ...Object.keys(owner?.gives ?? {})]
  const columns = { ...storedValues('s', given), ...values }
  const { key } = resource.table
  const others = Object.keys(columns).filter((column) => !key.includes(column))
  const names = listed(Object.keys(columns))
  const prepared = Object.entries(columns).map(([column, value]) => Prisma.sql`${value} AS ${Prisma.raw(column)}`)
  return Prisma.sql`
WITH prepared AS MATERIALIZED (
  SELECT s.first_line, ${Prisma.join(prepared)} FROM ${staged} s LEFT JOIN ${table} t ON ${equal(identity, 't', 's')}
), written AS (
  INSERT INTO ${table} AS made (${names}) SELECT ${names} FROM prepared ORDER BY first_line
  ON CONFLICT (${listed(key)}) DO UPDATE SET ${excluded(others)}
  RETURNING xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new)::integer AS created FROM written`
}

/**
 * The values of columns of a row under an alias, where `t` is the existing row: times of creation and change stay if
 * the record has none.
 */
export function storedValues(name: string, columns: readonly string[]): Expressions {
  return Object.fromEntries(columns.map((column) => [column, Prisma.raw(storedValue(name, column))]))
}

function storedValue(name: string, column: string): string {
  if (column === 'created_at') return `coalesce(${name}.created_at, t.created_at, now())`
  if (column === 'updated_at') return `coalesce(${name}.updated_at, t.updated_at, ${name}.created_at, now())`
  return `${name}.${column}`
}

/** Assigns to columns what would have been inserted. */
export function excluded(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.map((column) => `${column} = EXCLUDED.${column}`).join(', '))
}

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
