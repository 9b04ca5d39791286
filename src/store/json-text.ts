import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'
import { timestampText } from './timestamp-text.js'

/**
 * SQL that prints JSON as text: no spaces, keys in the order given, texts escaped as `JSON.stringify` does it. It is put
 * together by `concat`, which writes every value to one buffer: that costs half of what `json_build_object` does, and less
 * still of `row_to_json` with `json_strip_nulls`. Values are arguments of `concat`, one or several, that are not null;
 * those of `whole` are texts of the form `,"key":value`, or null.
 */
export type JsonMember = readonly [key: string, value: Prisma.Sql] | { readonly whole: Prisma.Sql }

/** The text of an object. */
export function objectText(members: readonly JsonMember[]): Prisma.Sql {
  const parts = members.map((member, index) => {
    if ('whole' in member) return member.whole
    const [key, value] = member
    return Prisma.sql`${literal(`${index === 0 ? '{' : ','}"${key}":`)}, ${value}`
  })
  return Prisma.sql`concat(${Prisma.join(parts, ', ')}, '}')`
}

/** The text of the list of the items in all rows of a group. */
export function listText(item: Prisma.Sql, order: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`concat('[', string_agg(${item}, ',' ORDER BY ${order}), ']')`
}

/** A text of any characters. PostgreSQL and JavaScript escape the same ones alike, U+007F and U+2028 none of them. */
export function stringText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_json(${column})`
}

/** A text that has nothing to escape because the database holds its column to a format, such as an id, or an enum. */
export function plainText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`'"', ${column}, '"'`
}

/** A boolean. */
export function flagText(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${condition})::text`
}

/** A list of texts; null is the empty list. */
export function stringListText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`array_to_json(coalesce(${column}, '{}'))`
}

/** A member that is left out where the column is null. */
export function optionalMember(key: string, column: Prisma.Sql, text: Prisma.Sql): JsonMember {
  return { whole: Prisma.sql`CASE WHEN ${column} IS NOT NULL THEN concat(${literal(`,"${key}":`)}, ${text}) END` }
}

/** A name that stands in a stored document, if it is one of those that are known; else the fallback. */
export function knownText(name: Prisma.Sql, known: Parameter, fallback: string): Prisma.Sql {
  return plainText(Prisma.sql`CASE WHEN ${name} = ANY (${known}::text[]) THEN ${name} ELSE ${literal(fallback)} END`)
}

/** A time. */
export function quotedTimestamp(column: Prisma.Sql): Prisma.Sql {
  return plainText(timestampText(column))
}

/** A date. */
export function dateText(column: Prisma.Sql): Prisma.Sql {
  const part = (name: string) => Prisma.sql`date_part(${Prisma.raw(`'${name}'`)}, ${column})`
  return objectText([
    ['year', part('year')],
    ['month', part('month')],
    ['day', part('day')],
  ])
}

/** A constant as SQL writes it. */
function literal(constant: string): Prisma.Sql {
  return Prisma.raw(`'${constant.replaceAll("'", "''")}'`)
}
