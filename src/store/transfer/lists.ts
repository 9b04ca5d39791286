import type { DescField } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'
import { camelCase } from '../camel-case.js'
import type { PartsPlace, ResourceField, Table } from '../resource/resource.js'
import { eachRow, eachValue, listed, rowColumns, type StagedTable } from './staged-table.js'
import type { Expressions } from './transfer-table.js'
import { excluded, givesList, storedValues } from './upsert.js'

/** A list, as it is staged and as it is stored. */
interface StagedList extends PartsPlace {
  readonly table: Table
  /** Its rows, joined to the staging table as `item`. */
  readonly join: Prisma.Sql
  /** The columns that the record gives, and their values. */
  readonly given: Expressions
}

/** Writes what the staged records have in other tables: lists of rows and of values. */
export function listTexts(kind: StagedTable): readonly Prisma.Sql[] {
  return kind.resource.fields.flatMap((each) => {
    const list = stagedListOf(each)
    return list === undefined ? [] : replaceTexts(kind, each.field, list)
  })
}

function stagedListOf({ field, source }: ResourceField): StagedList | undefined {
  if (source.kind === 'parts') {
    const columns = rowColumns(source.resource)
    const given = storedValues(
      'item',
      Object.keys(columns).filter((column) => column !== source.parent),
    )
    return { ...source, table: source.resource.table, join: eachRow(field.name, 'item', columns), given }
  }
  if (source.kind === 'values') {
    return { ...source, join: eachValue(field.name, 'item'), given: { [source.column]: Prisma.sql`item.value` } }
  }
  return undefined
}

/** Deletes what the record no longer has, and writes what it has. */
function replaceTexts(
  { staged, listValues, listJoins }: StagedTable,
  field: DescField,
  list: StagedList,
): Prisma.Sql[] {
  const { table, parent, of = 'id', join, given } = list
  const owners: Readonly<Record<string, string>> = {
    ...(table.columns['organization_id'] && { organization_id: 'organization_id' }),
    [parent]: of,
  }
  const ofRecord = (name: string) =>
    Prisma.raw(
      Object.entries(owners)
        .map(([column, given]) => `${name}.${column} = s.${given}`)
        .join(' AND '),
    )
  const values: Expressions = {
    ...Object.fromEntries(Object.entries(owners).map(([column, given]) => [column, Prisma.raw(`s.${given}`)])),
    ...(table.columns['position'] && { position: Prisma.sql`item.place - 1` }),
    ...given,
    ...listValues?.[field.localName],
  }
  const name = Prisma.raw(table.name)
  const insertion = Prisma.sql`
INSERT INTO ${name} (${listed(Object.keys(values))})
SELECT ${Prisma.join(Object.values(values))} FROM ${staged} s ${join} ${listJoins?.[field.localName] ?? Prisma.empty}`
  const deletion = Prisma.sql`DELETE FROM ${name} x USING ${staged} s WHERE ${ofRecord('x')} AND ${givesList(field.name)}`
  if (table.columns['created_at'] === undefined) return [deletion, insertion]
  // Rows with a time of creation are kept while the record names them.
  const [key = ''] = table.key.filter((column) => owners[column] === undefined)
  const isNamed = Prisma.raw(
    `EXISTS (SELECT 1 FROM json_array_elements(s.${field.name}) item WHERE item->>'${camelCase(key)}' = x.${key})`,
  )
  const others = Object.keys(values).filter((column) => !table.key.includes(column))
  return [
    Prisma.sql`${deletion} AND NOT ${isNamed}`,
    Prisma.sql`${insertion}
LEFT JOIN ${name} t ON ${ofRecord('t')} AND t.${Prisma.raw(key)} = item.${Prisma.raw(key)}
ON CONFLICT (${listed(table.key)}) DO UPDATE SET ${excluded(others)}`,
  ]
}
