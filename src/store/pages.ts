import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Parameter, type Places } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { itemsText } from './resource/text.js'
import { ofOrganization, organizationId } from './visibility.js'

/** Some of the rows of a list: those after an id, at most so many. */
export interface RowRange {
  readonly after: string
  readonly take: number
}

/** A page: the JSON of its items with commas between them, and the position of the last one if there are more. */
export interface PageRow {
  readonly items: string
  readonly last: string | null
}

interface PageSize {
  readonly pageSize: number
  /** A search, for `isFound`. */
  readonly q?: string | null | undefined
}

const columns = { items: 'text', last: 'text' } as const

/** Rows that can be filtered in several ways. */
interface FilteredRows<Filters> {
  /** What follows FROM. */
  readonly from: Prisma.Sql
  /** Which of them are wanted. A filter that is not given is no condition. */
  readonly condition: (places: Places<Filters>) => Prisma.Sql
}

/** How these rows, which have the alias, are listed: printed, ordered, and the text of their positions. */
interface Pages<Page> extends FilteredRows<Page> {
  readonly alias: string
  readonly text: Prisma.Sql
  readonly order: Prisma.Sql
  readonly position: Prisma.Sql
  /** Joined to the rows of a page, to print them. */
  readonly join?: Prisma.Sql
  /** True for what comes after the position before the page. */
  readonly isLater: (places: Places<Page>) => Prisma.Sql
  /** Whether the condition has `isFound`. */
  readonly isSearched?: boolean
  /** Whether PostgreSQL keeps the plans. Default: it plans with the values of each call. */
  readonly keepsPlans?: boolean
}

/** How many bytes the items of a page have before it is cut: the last one may go beyond. */
const MAX_BYTES = Prisma.raw(String(8 * 1024 * 1024))

/** The page sizes that have a statement of their own if plans are kept, the largest last. */
const pageClasses = [100, 1_000, 10_000] as const

/**
 * Makes a list in pages. PostgreSQL keeps the plan of a prepared statement if it expects it to cost no more than a new
 * one, and of a limit that is a parameter, it expects a tenth of all rows. So where plans are kept, pages have a
 * statement for their class of sizes, with a constant limit: planned anew, a page of ten users has 0.54 of the
 * throughput. A search reads the ordinals of all that it finds and cuts them to the page: a planner who expects it to
 * find many would rather split text after text into words, in the order of the list, until the page is full.
 */
export function createPages<Page extends PageSize>(name: string, pages: Pages<Page>) {
  const { alias, from, order, condition, isLater, isSearched = false, keepsPlans = false } = pages
  const row = Prisma.raw(alias)
  const isWanted = (places: Places<Page>) => Prisma.sql`${condition(places)} AND ${isLater(places)}`
  const anew = (named: string, where: (places: Places<Page>, most: Prisma.Sql) => Prisma.Sql) =>
    createStatement<Page, PageRow>({
      name: named,
      columns,
      planned: 'anew',
      text: (places) => {
        const most = Prisma.sql`${places.pageSize} + 1`
        return pageText(pages, places, where(places, most), most)
      },
    })
  const kept = (size: number) =>
    createStatement<Page, PageRow>({
      name: `${name}_${size}`,
      columns,
      text: (places) => pageText(pages, places, isWanted(places), Prisma.raw(String(size + 1))),
    })
  const statements = keepsPlans ? pageClasses.map(kept) : [anew(name, isWanted)]
  const search = isSearched
    ? anew(
        `${name}_found`,
        (places, most) => Prisma.sql`${ofOrganization(alias)} AND ${row}.ordinal = ANY (ARRAY(
             SELECT * FROM (SELECT ${row}.ordinal FROM ${from} WHERE ${isWanted(places)} OFFSET 0) ${row}
              ORDER BY ${order} LIMIT ${most}))`,
      )
    : undefined
  return (tables: Tables, page: Page): Promise<PageRow | undefined> => {
    const fitting = keepsPlans ? pageClasses.findIndex((size) => page.pageSize <= size) : 0
    const statement = typeof page.q === 'string' && search !== undefined ? search : statements[fitting]
    if (statement === undefined) throw new Error(`no page has ${page.pageSize} items`)
    return firstRow(tables, statement, page)
  }
}

/** A page of the rows for which a condition is true; no more than `most` are read, of which a page needs one more. */
function pageText<Page extends PageSize>(
  { alias, from, join = Prisma.empty, text, order, position }: Pages<Page>,
  { pageSize }: Places<Page>,
  where: Prisma.Sql,
  most: Prisma.Sql,
): Prisma.Sql {
  const row = Prisma.raw(alias)
  const isIn = Prisma.sql`${row}.place <= ${pageSize} AND ${row}.bytes - octet_length(${row}.printed) < ${MAX_BYTES}`
  const isEnd = Prisma.sql`${isIn} AND (${row}.place = ${pageSize} OR ${row}.bytes >= ${MAX_BYTES})`
  // Printed once, in a subquery of its own: the text is the page's, and its length decides where that ends.
  return Prisma.sql`
SELECT ${itemsText(Prisma.sql`${row}.printed`, order, isIn)} AS items,
       CASE WHEN count(*) > count(*) FILTER (WHERE ${isIn}) THEN max(${row}.last) FILTER (WHERE ${isEnd}) END AS last
  FROM (
    SELECT ${row}.*, row_number() OVER in_order AS place,
           sum(octet_length(${row}.printed)) OVER in_order AS bytes
      FROM (
        SELECT ${row}.*, ${text} AS printed, ${position} AS last
          FROM (SELECT ${row}.* FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ${most}) ${row} ${join}
         ORDER BY ${order} LIMIT ${pageSize} + 1
      ) ${row}
    WINDOW in_order AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
  ) ${row}`
}

/** True if no search is given, or if each of its words begins a word of the text, in a row with the alias. */
export function isFound(alias: string, text: Prisma.Sql): Prisma.Sql {
  const q: Parameter = { parameter: 'q' }
  const words = Prisma.sql`search_words(${Prisma.raw(alias)}.organization_id, ${text})`
  return Prisma.sql`(${q}::text IS NULL OR ${words} @@ search_query(${organizationId}, ${q}))`
}

/** The statement that counts the rows that filters want, which reads all of them. */
export function countStatement<Filters>(name: string, { from, condition }: FilteredRows<Filters>) {
  return createStatement<Filters, { readonly count: number }>({
    name,
    columns: { count: 'int4' },
    planned: 'anew',
    text: (places) => Prisma.sql`SELECT count(*)::int AS count FROM ${from} WHERE ${condition(places)}`,
  })
}

/** Makes the number of the rows that filters want. */
export function createCount<Filters>(name: string, rows: FilteredRows<Filters>) {
  const statement = countStatement(name, rows)
  return async (tables: Tables, filters: Filters) => (await firstRow(tables, statement, filters))?.count ?? 0
}
