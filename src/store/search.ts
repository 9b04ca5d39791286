import { Prisma } from '../../gen/prisma/client.js'

/** How a value is compared: a text in all ways, a time in none of the last three, a boolean only by equality. */
export type Comparison = 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'startsWith' | 'endsWith'

/** A value of a row in a statement of one organization: null if the row has none, and never the empty text. */
export interface Value {
  readonly sql: Prisma.Sql
  /** Whether an index leads to the rows where it equals another. */
  readonly isIndexed?: true
  /** A condition that is true where it equals a text in whatever case, and to whose rows indexes lead. */
  readonly lookUp?: (text: string) => Prisma.Sql
}

/** The value that is the same for every row. */
export function fixed(text: string): Value {
  return { sql: Prisma.sql`'${Prisma.raw(text)}'::text` }
}

/** Several values of a row, one by one: a query from its FROM on, WHERE included, over the entries that have them. */
export interface Entries {
  readonly from: Prisma.Sql
  /** Whether an entry goes before the others in orders. */
  readonly primary?: Value
  /** A condition that is true where an entry has a value, and to whose rows indexes lead. */
  readonly lookUp?: (value: string) => Prisma.Sql
}

/** The texts that a row has, each under a condition, as entries, and the value of one of them. */
export function conditionalTexts(texts: readonly (readonly [text: string, condition: Condition])[]) {
  const rows = texts.map(([text, { sql }]) => Prisma.sql`('${Prisma.raw(text)}', ${sql})`)
  const from = Prisma.sql`(VALUES ${Prisma.join(rows)}) AS entry (text, is_shown) WHERE entry.is_shown`
  return { entries: { from }, value: { sql: Prisma.sql`entry.text` } }
}

/** A value as it is compared and ordered: texts exactly or without regard to case; undefined for what is no text. */
export interface Compared {
  readonly value: Value
  readonly text: 'exact' | 'folded' | undefined
}

/** A condition that is true or false, never null: its negation also finds rows without a value. */
export interface Condition {
  readonly sql: Prisma.Sql
  /** An index leads to all rows of which it is true. */
  readonly isIndexed: boolean
}

export function constant(isTrue: boolean): Condition {
  return { sql: Prisma.raw(String(isTrue)), isIndexed: !isTrue }
}

/** True where all conditions are, of which there is at least one. */
export function all(conditions: readonly Condition[]): Condition {
  return { sql: joined(conditions, ' AND '), isIndexed: conditions.some((each) => each.isIndexed) }
}

/** True where one of the conditions is, of which there is at least one. */
export function any(conditions: readonly Condition[]): Condition {
  return { sql: joined(conditions, ' OR '), isIndexed: conditions.every((each) => each.isIndexed) }
}

function joined(conditions: readonly Condition[], operator: string): Prisma.Sql {
  const joint = Prisma.join(
    conditions.map(({ sql }) => sql),
    operator,
  )
  return Prisma.sql`(${joint})`
}

export function not({ sql }: Condition): Condition {
  return { sql: Prisma.sql`(${sql}) IS NOT TRUE`, isIndexed: false }
}

export function present(value: Value | Entries): Condition {
  const sql = 'from' in value ? Prisma.sql`EXISTS (SELECT FROM ${value.from})` : Prisma.sql`(${value.sql}) IS NOT NULL`
  return { sql, isIndexed: false }
}

const operators: Readonly<Record<Comparison, string>> = {
  equals: '=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  contains: 'LIKE',
  startsWith: 'LIKE',
  endsWith: 'LIKE',
}

/** True where the value compares with another one. Texts are ordered by code points. */
export function compare(compared: Compared, how: Comparison, other: string | boolean | Date): Condition {
  const { value, text } = compared
  const operator = Prisma.raw(operators[how])
  if (typeof other !== 'string') {
    const given =
      typeof other === 'boolean' ? Prisma.sql`${other}::boolean` : Prisma.sql`${other.toISOString()}::timestamptz`
    return { sql: Prisma.sql`(${value.sql}) ${operator} ${given}`, isIndexed: false }
  }
  const given = Prisma.sql`${patternOf(how, other)}::text`
  // Whatever the collation, equal is equal, and indexes have that of their columns.
  const left = how === 'equals' && text === 'exact' ? Prisma.sql`(${value.sql})` : comparedText(compared)
  const right = text === 'exact' ? given : Prisma.sql`lower(${given})`
  const exact = {
    sql: Prisma.sql`${left} ${operator} ${right}`,
    isIndexed: how === 'equals' && value.isIndexed === true,
  }
  return how === 'equals' ? lookedUp(value, other, exact) : exact
}

/** The text, or the pattern of LIKE for it. */
function patternOf(how: Comparison, text: string): string {
  if (operators[how] !== 'LIKE') return text
  return `${how === 'startsWith' ? '' : '%'}${escapedPattern(text)}${how === 'endsWith' ? '' : '%'}`
}

/** The pattern of LIKE for a text, which Prisma's `contains`, `startsWith`, and `insensitive` in general, pass on. */
export function escapedPattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}

function comparedText({ value, text }: Compared): Prisma.Sql {
  return Prisma.sql`${Prisma.raw(text === 'exact' ? '' : 'lower')}(${value.sql}) COLLATE "C"`
}

/**
 * True if the condition is true of an entry. `equal` is a value that such an entry must have, by which indexes find it.
 */
export function someEntry(entries: Entries, condition: Condition, equal: string | undefined): Condition {
  const exact = { sql: Prisma.sql`EXISTS (SELECT FROM ${entries.from} AND ${condition.sql})`, isIndexed: false }
  return equal === undefined ? exact : lookedUp(entries, equal, exact)
}

function lookedUp({ lookUp }: Value | Entries, text: string, exact: Condition): Condition {
  return lookUp === undefined ? exact : { sql: Prisma.sql`(${lookUp(text)} AND ${exact.sql})`, isIndexed: true }
}

/** The order of rows. Rows without a value are last, or first if it is descending. */
export interface Order extends Compared {
  /** The entries of which it is a value: that of the primary one counts, otherwise any. */
  readonly within: Entries | undefined
  readonly isDescending: boolean
}

/** The order as `ORDER BY` has it. */
export function orderBy({ value, text, within, isDescending }: Order): Prisma.Sql {
  const each = text === undefined ? Prisma.sql`(${value.sql})` : comparedText({ value, text })
  const first = within?.primary === undefined ? Prisma.sql`1` : Prisma.sql`${within.primary.sql} DESC, 1`
  const one = within === undefined ? each : Prisma.sql`(SELECT ${each} FROM ${within.from} ORDER BY ${first} LIMIT 1)`
  return isDescending ? Prisma.sql`${one} DESC` : Prisma.sql`${one} ASC`
}
