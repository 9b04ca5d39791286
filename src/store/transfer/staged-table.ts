import { Prisma } from '../../../gen/prisma/client.js'
import { camelCase } from '../camel-case.js'
import type { Resource, ResourceField, Table } from '../resource/resource.js'
import type { RecordKind } from './record-kind.js'
import type { ColumnTypes, TransferTable } from './transfer-table.js'

/** How an import stages the records of one kind. */
export interface StagedTable extends TransferTable {
  readonly kind: RecordKind
  /** The kind in snake case, as names of the database are. */
  readonly stem: string
  readonly table: Prisma.Sql
  readonly staged: Prisma.Sql
  /** The columns that identify a row, with that of the organization first if there is one. */
  readonly identity: readonly string[]
}

/** Names the tables of a kind. */
export function stagedTable(kind: RecordKind, definition: TransferTable): StagedTable {
  const stem = kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const { name, key } = definition.resource.table
  const organization = definition.owner === undefined ? [] : ['organization_id']
  return {
    ...definition,
    kind,
    stem,
    table: Prisma.raw(name),
    staged: Prisma.raw(`staged_${stem}`),
    identity: [...new Set([...organization, ...key])],
  }
}

/** A condition that columns are equal under two aliases. */
export function equal(columns: readonly string[], left: string, right: string): Prisma.Sql {
  return Prisma.raw(columns.map((column) => `${left}.${column} = ${right}.${column}`).join(' AND '))
}

/** Columns as a list. */
export function listed(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.join(', '))
}

/** The columns of the row that are set by a record of the resource. */
export function rowColumns({ table, fields }: Resource): ColumnTypes {
  return typesIn(table, fields.flatMap(columnsOf))
}

function columnsOf({ source }: ResourceField): string[] {
  if (source.kind === 'columns') return source.resource.fields.flatMap(columnsOf)
  return source.kind === 'column' ? [source.name] : []
}

/** The types of columns of a table. */
export function typesIn({ columns }: Table, names: readonly string[]): ColumnTypes {
  return Object.fromEntries(names.map((name) => [name, (columns[name]?.type ?? 'text').replace(/^enum /, '')]))
}

/** The columns for what a record has in other tables: rows as JSON, values as a list. */
export function listColumns({ fields }: Resource): ColumnTypes {
  return Object.fromEntries(
    fields.flatMap(({ field, source }) =>
      source.kind === 'parts' ? [[field.name, 'json']] : source.kind === 'values' ? [[field.name, 'text[]']] : [],
    ),
  )
}

/**
 * Joins the rows in a list of the staged record, under an alias. SQL sees the position of each, counted from 1, as
 * `place`.
 */
export function eachRow(list: string, name: string, columns: ColumnTypes): Prisma.Sql {
  const names = [...Object.keys(columns), 'place']
  return Prisma.raw(`CROSS JOIN LATERAL ROWS FROM (json_to_recordset(s.${list}) AS (${propertiesOf(columns)}))
  WITH ORDINALITY AS ${name}(${names.join(', ')})`)
}

/** Joins the values in a list of the staged record, as `value`. */
export function eachValue(list: string, name: string): Prisma.Sql {
  return Prisma.raw(`CROSS JOIN LATERAL unnest(s.${list}) WITH ORDINALITY AS ${name}(value, place)`)
}

/** The columns as those of a JSON object with properties in camel case. */
export function propertiesOf(columns: ColumnTypes): string {
  return Object.entries(columns)
    .map(([name, type]) => `"${camelCase(name)}" ${type}`)
    .join(', ')
}
