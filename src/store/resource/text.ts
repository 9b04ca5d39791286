import type { DescField } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'

/** A part of a text: a constant, or an expression that is not null and that `||` accepts. */
export type Part = string | Prisma.Sql

/** The text of the parts; adjacent constants become one. */
export function textOf(parts: readonly Part[]): Prisma.Sql {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  return Prisma.join(
    merged.map((part) => (typeof part === 'string' ? literal(part) : part)),
    ' || ',
  )
}

function literal(text: string): Prisma.Sql {
  return Prisma.raw(`'${text.replaceAll("'", "''")}'`)
}

/**
 * The texts in the rows of a group, or in those that satisfy the condition, joined by commas: the items of a list.
 * Every `||` after it copies the text, which may be megabytes long.
 */
export function itemsText(item: Prisma.Sql, order: Prisma.Sql, condition?: Prisma.Sql): Prisma.Sql {
  const filter = condition === undefined ? Prisma.empty : Prisma.sql` FILTER (WHERE ${condition})`
  return Prisma.sql`coalesce(string_agg(${item}, ',' ORDER BY ${order})${filter}, '')`
}

export function listText(item: Prisma.Sql, order: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`'[' || ${itemsText(item, order)} || ']'`
}

/** A time in JSON, as the API writes it: UTC with milliseconds, `2026-01-31T09:05:00.000Z`. */
export function timestampText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** The prefix that the API adds to the names in the database. */
export function enumPrefix(field: DescField): string {
  return (field.enum?.sharedPrefix ?? '').toUpperCase()
}

export function columnIn(alias: string, name: string): Prisma.Sql {
  return Prisma.raw(`${alias}.${name}`)
}
