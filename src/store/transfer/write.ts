import { Prisma } from '../../../gen/prisma/client.js'
import { camelCase } from '../resource/resource.js'
import { type Expressions, equal, listed, rowColumns, type StagedKind, type StagedList, storedValues } from './kind.js'

/**
 * Writes the staged rows, new ones in the order of their first lines, and returns `created`, the number of new ones.
 * Existing rows keep other columns, including their place in the order of creation, and are not written if nothing
 * changes.
 */
export function upsertText(kind: StagedKind): Prisma.Sql {
  const { table, staged, key, owner, resource, values } = kind
  const given = [...Object.keys(rowColumns(resource)), ...Object.keys(owner?.gives ?? {})]
  const columns = { ...storedValues('s', given), ...values }
  const names = listed(Object.keys(columns))
  const prepared = Object.entries(columns).map(([column, value]) => Prisma.sql`${value} AS ${Prisma.raw(column)}`)
  return Prisma.sql`
WITH prepared AS MATERIALIZED (
  SELECT s.first_line, ${Prisma.join(prepared)} FROM ${staged} s LEFT JOIN ${table} t ON ${equal(key, 't', 's')}
), written AS (
  INSERT INTO ${table} AS made (${names}) SELECT ${names} FROM prepared ORDER BY first_line
  ${onConflict(columns, key)}${raisedVersion(kind, Object.keys(columns))}
  RETURNING xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new)::integer AS created FROM written`
}

/** Leaves an existing row unwritten if it has the values already, and raises the version of any other. */
function raisedVersion({ resource, key, values = {} }: StagedKind, columns: readonly string[]): Prisma.Sql {
  const { table } = resource
  if (table.columns['version'] === undefined) return Prisma.empty
  const compared = columns.filter((column) => !key.includes(column) && !(column === 'updated_at' && column in values))
  const texts = (name: string) =>
    compared.map((column) => `${name}.${column}${table.columns[column]?.type === 'json' ? '::text' : ''}`)
  const [made, excluded] = [Prisma.raw(texts('made').join()), Prisma.raw(texts('EXCLUDED').join())]
  return Prisma.sql`, version = made.version + 1 WHERE (${made}) IS DISTINCT FROM (${excluded})`
}

/** Lets an insertion of these columns change the row that has its key. */
function onConflict(columns: Expressions, key: readonly string[]): Prisma.Sql {
  const others = Object.keys(columns).filter((column) => !key.includes(column))
  const assigned = Prisma.raw(others.map((column) => `${column} = EXCLUDED.${column}`).join(', '))
  return Prisma.sql`ON CONFLICT (${listed(key)}) DO UPDATE SET ${assigned}`
}

/** Writes the lists of the staged records: deletes what a record no longer has, and writes what it has. */
export function listTexts(kind: StagedKind): readonly Prisma.Sql[] {
  return kind.lists.flatMap((list) => replaceTexts(kind, list))
}

function replaceTexts({ staged, listColumns = {} }: StagedKind, list: StagedList): Prisma.Sql[] {
  const { field, table, owners, join, given } = list
  const ofRecord = (name: string) =>
    Prisma.raw(
      Object.entries(owners)
        .map(([column, of]) => `${name}.${column} = s.${of}`)
        .join(' AND '),
    )
  const more = listColumns[field.localName]
  const values: Expressions = {
    ...Object.fromEntries(Object.entries(owners).map(([column, of]) => [column, Prisma.raw(`s.${of}`)])),
    ...(table.columns['position'] && { position: Prisma.sql`item.place - 1` }),
    ...given,
    ...more?.values,
  }
  const name = Prisma.raw(table.name)
  const insertion = Prisma.sql`
INSERT INTO ${name} (${listed(Object.keys(values))})
SELECT ${Prisma.join(Object.values(values))} FROM ${staged} s ${join} ${more?.join ?? Prisma.empty}`
  const isGiven = Prisma.raw(`(s.given IS NULL OR '${field.name}' = ANY (s.given))`)
  const deletion = Prisma.sql`DELETE FROM ${name} x USING ${staged} s WHERE ${ofRecord('x')} AND ${isGiven}`
  if (table.columns['created_at'] === undefined) return [deletion, insertion]
  // Rows with a time of creation are kept while the record names them.
  const [key = ''] = table.key.filter((column) => owners[column] === undefined)
  const isNamed = Prisma.raw(
    `EXISTS (SELECT 1 FROM json_array_elements(s.${field.name}) item WHERE item->>'${camelCase(key)}' = x.${key})`,
  )
  return [
    Prisma.sql`${deletion} AND NOT ${isNamed}`,
    Prisma.sql`${insertion}
LEFT JOIN ${name} t ON ${ofRecord('t')} AND t.${Prisma.raw(key)} = item.${Prisma.raw(key)}
${onConflict(values, table.key)}`,
  ]
}
