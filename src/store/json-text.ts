import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'
import { timestampText } from './timestamp-text.js'

/**
 * SQL that builds JSON as text, exactly as `JSON.stringify` prints it: no spaces, keys in the order given, texts escaped
 * the same way. Values are expressions that are not null; those of `whole` are texts of the form `,"key":value`, or empty.
 */
export type JsonMember = readonly [key: string, value: Prisma.Sql] | { readonly whole: Prisma.Sql }

/** The text of an object. */
export function objectText(members: readonly JsonMember[]): Prisma.Sql {
  const parts = members.map((member, index) => {
    if ('whole' in member) return member.whole
    const [key, value] = member
    return Prisma.sql`${literal(`${index === 0 ? '' : ','}"${key}":`)} || ${value}`
  })
  return Prisma.sql`'{' || ${Prisma.join(parts, ' || ')} || '}'`
}

/** A text of any characters. PostgreSQL and JavaScript escape the same ones alike, U+007F and U+2028 none of them. */
export function stringText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_json(${column})`
}

/** A text that has nothing to escape because the database holds its column to a format, such as an id, or an enum. */
export function plainText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`'"' || ${column} || '"'`
}

/** A list of texts; null is the empty list. */
export function stringListText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`array_to_json(coalesce(${column}, '{}'))`
}

/** A member that is left out where the column is null. */
export function optionalMember(key: string, column: Prisma.Sql, text: Prisma.Sql): JsonMember {
  return { whole: Prisma.sql`CASE WHEN ${column} IS NULL THEN '' ELSE ${literal(`,"${key}":`)} || ${text} END` }
}

/** A name that stands in a stored document, if it is one of those that are known; else the fallback. */
export function knownText(name: Prisma.Sql, known: Parameter, fallback: string): Prisma.Sql {
  return plainText(Prisma.sql`(CASE WHEN ${name} = ANY (${known}::text[]) THEN ${name} ELSE ${literal(fallback)} END)`)
}

/** A time. */
export function quotedTimestamp(column: Prisma.Sql): Prisma.Sql {
  return plainText(timestampText(column))
}

/** A constant as SQL writes it. */
function literal(constant: string): Prisma.Sql {
  return Prisma.raw(`'${constant.replaceAll("'", "''")}'`)
}
