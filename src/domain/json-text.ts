import { timestampColumn } from './timestamp-column.js'

/**
 * SQL that builds JSON as text, exactly as `JSON.stringify` prints it: no spaces, keys in the order given, texts escaped
 * the same way. Values are expressions that are not null; those of `whole` are texts of the form `,"key":value`, or empty.
 */
export type JsonMember = readonly [key: string, value: string] | { readonly whole: string }

/** The text of an object. */
export function objectText(members: readonly JsonMember[]): string {
  const parts = members.map((member, index) => {
    if ('whole' in member) return member.whole
    const [key, value] = member
    return `'${index === 0 ? '' : ','}"${key}":' || ${value}`
  })
  return `'{' || ${parts.join(' || ')} || '}'`
}

/** A text of any characters. PostgreSQL and JavaScript escape the same ones alike, U+007F and U+2028 none of them. */
export function stringText(column: string): string {
  return `to_json(${column})`
}

/** A text that has nothing to escape because the database holds its column to a format, such as an id, or an enum. */
export function plainText(column: string): string {
  return `'"' || ${column} || '"'`
}

/** A list of texts; null is the empty list. */
export function stringListText(column: string): string {
  return `array_to_json(coalesce(${column}, '{}'))`
}

/** A member that is left out where the column is null. */
export function optionalMember(key: string, column: string, text: string): JsonMember {
  return { whole: `CASE WHEN ${column} IS NULL THEN '' ELSE ',"${key}":' || ${text} END` }
}

/** The name of an enum's value that stands in a stored document; a name that this build does not know is the fallback. */
export function enumText(name: string, known: readonly string[], fallback: string): string {
  const names = known.map((each) => `'${each}'`).join(', ')
  return plainText(`(CASE WHEN ${name} IN (${names}) THEN ${name} ELSE '${fallback}' END)`)
}

/** A time. */
export function timestampText(column: string): string {
  return plainText(timestampColumn(column))
}
