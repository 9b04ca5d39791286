import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter, Places } from '../db/statement.js'
import { createLookUp, type Tables } from '../db/tables.js'
import { camelCase, type Table } from './resource/resource.js'
import { columnIn, itemsText, timestampText } from './resource/text.js'
import { ofOrganization, organizationId } from './visibility.js'

/** A page: the JSON of its items with commas between them, and the position of the last one if there are more. */
export interface PageRow {
  readonly items: string
  readonly last: string | null
}

export interface PageRequest {
  /** The position before the page; undefined for the first one. */
  readonly after: string | undefined
  readonly pageSize: number
  readonly q?: string | null | undefined
}

/** The rows of an organization in a table, and which of them are wanted. */
interface FilteredRows<Filters> {
  readonly table: Table
  readonly alias: string
  /** The columns that must have given values: parameters of their names in camel case, of which `''` is none. */
  readonly filters?: readonly string[]
  /** Further conditions. A filter that is not given is none. */
  readonly condition?: (places: Places<Filters>) => Prisma.Sql
}

interface Pages<Page> extends FilteredRows<Page> {
  readonly text: Prisma.Sql
  /** The columns that order them: no two rows have the same values, which are the position of a row. */
  readonly order: readonly string[]
  readonly isDescending?: boolean
  /** Joined to the rows of a page, to print them. */
  readonly join?: Prisma.Sql
  /** Whether the condition has `isFound`. */
  readonly isSearched?: boolean
  /** Whether PostgreSQL keeps the plans. Default: it plans with the values of each call. */
  readonly keepsPlans?: boolean
}

/** How many bytes the items of a page have before it is cut: the last one may go beyond. */
const MAX_BYTES = Prisma.raw(String(8 * 1024 * 1024))

/**
 * Makes a list in pages. PostgreSQL keeps the plan of a prepared statement if it expects it to cost no more than a new
 * one. So with `keepsPlans`, an inner `SELECT` hides the page size from the planner, which then expects a tenth of all
 * rows: planned anew, a page of ten users has 0.54 of the throughput. A search is ordered by an expression without an
 * index: the planner, expecting many hits, would rather walk the list and split text after text into words until the
 * page is full.
 */
export function createPages<Filters extends object>(name: string, pages: Pages<Filters>) {
  type Page = Filters & PageRequest
  const { table, alias, order, isDescending, isSearched, keepsPlans, join = Prisma.empty } = pages
  const row = Prisma.raw(alias)
  const ordered = order.map((column) => {
    const value = columnIn(alias, column)
    const found = Prisma.sql`CASE WHEN ${q}::text IS NULL THEN ${value} ELSE (ARRAY[${value}])[1] END`
    return { value, found: isSearched ? found : value, type: String(table.columns[column]?.type) }
  })
  const start = ordered.map(({ type }) => starts[type]?.[isDescending ? 1 : 0]).join(' ')
  const orderBy = (by: 'value' | 'found') =>
    Prisma.join(ordered.map((each) => Prisma.sql`${each[by]}${Prisma.raw(isDescending ? ' DESC' : '')}`))
  const inOrder = orderBy('value')
  const position = ordered.map(({ value, type }) =>
    type === 'timestamptz' ? timestampText(value) : Prisma.sql`${value}::text`,
  )
  const list = createLookUp<Page, PageRow>({
    name,
    columns: { items: 'text', last: 'text' },
    planned: keepsPlans ? 'once' : 'anew',
    text: (places) => {
      const { pageSize } = places
      const after = ordered.map(({ type }, index) => {
        const part = Prisma.sql`split_part(${places.after}, ' ', ${Prisma.raw(`${index + 1}`)})`
        return Prisma.sql`${order.length === 1 ? places.after : part}::${Prisma.raw(type)}`
      })
      const values = Prisma.join(ordered.map(({ value }) => value))
      const isAfter = Prisma.sql`(${values}) ${Prisma.raw(isDescending ? '<' : '>')} (${Prisma.join(after)})`
      const most = keepsPlans ? Prisma.sql`(SELECT ${pageSize}::int + 1)` : Prisma.sql`${pageSize} + 1`
      const isIn = Prisma.sql`${row}.place <= ${pageSize} AND ${row}.bytes - octet_length(${row}.printed) < ${MAX_BYTES}`
      const isEnd = Prisma.sql`${isIn} AND (${row}.place = ${pageSize} OR ${row}.bytes >= ${MAX_BYTES})`
      // No more than `most` rows are read: a page needs one more than it has. Each is printed once, in a subquery that
      // decides by its length where the page ends, and passes on little else, since each column costs time to plan.
      return Prisma.sql`
SELECT ${itemsText(Prisma.sql`${row}.printed`, inOrder, isIn)} AS items,
       CASE WHEN count(*) > count(*) FILTER (WHERE ${isIn}) THEN max(${row}.last) FILTER (WHERE ${isEnd}) END AS last
  FROM (
    SELECT ${values}, ${row}.printed, ${row}.last, row_number() OVER in_order AS place,
           sum(octet_length(${row}.printed)) OVER in_order AS bytes
      FROM (
        SELECT ${values}, ${pages.text} AS printed, ${Prisma.join(position, ` || ' ' || `)} AS last
          FROM (SELECT ${row}.* FROM ${rowsOf(pages)} WHERE ${wanted(pages, places)} AND ${isAfter}
                 ORDER BY ${orderBy('found')} LIMIT ${most}) ${row} ${join}
         ORDER BY ${inOrder} LIMIT ${most}
      ) ${row}
    WINDOW in_order AS (ORDER BY ${inOrder} ROWS UNBOUNDED PRECEDING)
  ) ${row}`
    },
  })
  return (tables: Tables, page: Page) => list(tables, { ...page, after: page.after ?? start })
}

/** A value before all others of a type, and one after them. */
const starts: Readonly<Record<string, readonly [first: string, last?: string]>> = {
  date: ['-infinity'],
  int8: ['0', '9223372036854775807'],
  text: [''],
  timestamptz: ['-infinity'],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
}

function rowsOf({ table, alias }: Pick<FilteredRows<never>, 'table' | 'alias'>): Prisma.Sql {
  return Prisma.raw(`${table.name} ${alias}`)
}

export function wanted<Filters>(
  { table, alias, filters = [], condition }: FilteredRows<Filters>,
  places: Places<Filters>,
) {
  const isEqual = filters.map((column) => {
    const type = Prisma.raw(String(table.columns[column]?.type).replace('enum ', ''))
    const value = Prisma.sql`nullif(${{ parameter: camelCase(column) }}, '')::${type}`
    return Prisma.sql`(${value} IS NULL OR ${columnIn(alias, column)} = ${value})`
  })
  return Prisma.join([ofOrganization(alias), ...isEqual, ...(condition ? [condition(places)] : [])], ' AND ')
}

/** The text to search for; null for none. */
export const q: Parameter = { parameter: 'q' }

/** True if no search is given, or if each of its words begins a word of the text, in a row with the alias. */
export function isFound(alias: string, text: Prisma.Sql): Prisma.Sql {
  const words = Prisma.sql`search_words(${Prisma.raw(alias)}.organization_id, ${text})`
  return Prisma.sql`(${q}::text IS NULL OR ${words} @@ search_query(${organizationId}, ${q}))`
}

/** Makes the count of the rows that filters want, which reads all of them. */
export function createCount<Filters>(name: string, rows: FilteredRows<Filters>) {
  const count = createLookUp<Filters, { readonly count: number }>({
    name,
    columns: { count: 'int4' },
    planned: 'anew',
    text: (places) => Prisma.sql`SELECT count(*)::int AS count FROM ${rowsOf(rows)} WHERE ${wanted(rows, places)}`,
  })
  return async (tables: Tables, filters: Filters) => (await count(tables, filters))?.count ?? 0
}
