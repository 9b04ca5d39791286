import { Prisma } from '../../../gen/prisma/client.js'
import { camelCase } from '../camel-case.js'
import type { Resource, ResourceField, Table } from '../resource/resource.js'

/** Columns by name, each with its type as SQL writes it. */
export type ColumnTypes = Readonly<Record<string, string>>

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
