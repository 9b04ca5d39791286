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

/** Reads a page; undefined if there is no owner of the list. */
type ReadPage<Page> = (tables: Tables, page: Page) => Promise<PageRow | undefined>

interface PageSize {
  readonly pageSize: number
}

const columns = { items: 'text', last: 'text' } as const

/** How the rows of a page, which have the alias, are printed and ordered, and the text of their positions. */
interface PagedRows {
  readonly alias: string
  readonly text: Prisma.Sql
  readonly order: Prisma.Sql
  readonly position: Prisma.Sql
}

/** How pages are made. */
interface Pages<Page> extends PagedRows {
  /** What follows FROM, of which no more rows need to be read than `most`: a page, and one row more. */
  readonly rows: (places: Places<Page>, most: Prisma.Sql) => Prisma.Sql
  /** Reads the page of an owner, if there is one. Default: of the organization. */
  readonly ofOwner?: (page: Prisma.Sql, places: Places<Page>) => Prisma.Sql
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
 * throughput, and one of ten app instances 0.65.
 */
export function createPages<Page extends PageSize>(
  name: string,
  { alias, text, order, position, rows, ofOwner = (page) => page, keepsPlans = false }: Pages<Page>,
): ReadPage<Page> {
  const row = Prisma.raw(alias)
  const pageText = (places: Places<Page>, most: Prisma.Sql) => {
    const { pageSize } = places
    const isIn = Prisma.sql`${row}.place <= ${pageSize} AND ${row}.bytes - octet_length(${row}.printed) < ${MAX_BYTES}`
    const isEnd = Prisma.sql`${isIn} AND (${row}.place = ${pageSize} OR ${row}.bytes >= ${MAX_BYTES})`
    // Printed once, in a subquery of its own (OFFSET 0): the text is the page's, and its length decides where that ends.
    const page = Prisma.sql`
SELECT ${itemsText(Prisma.sql`${row}.printed`, order, isIn)} AS items,
       CASE WHEN count(*) > count(*) FILTER (WHERE ${isIn}) THEN max(${row}.last) FILTER (WHERE ${isEnd}) END AS last
  FROM (
    SELECT ${row}.*, row_number() OVER in_order AS place,
           sum(octet_length(${row}.printed)) OVER in_order AS bytes
      FROM (SELECT ${row}.*, ${text} AS printed, ${position} AS last FROM ${rows(places, most)} OFFSET 0) ${row}
    WINDOW in_order AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
  ) ${row}`
    return ofOwner(page, places)
  }
  if (!keepsPlans) {
    const textOf = (places: Places<Page>) => pageText(places, Prisma.sql`${places.pageSize} + 1`)
    const statement = createStatement<Page, PageRow>({ name, columns, planned: 'anew', text: textOf })
    return (tables, page) => firstRow(tables, statement, page)
  }
  const statements = pageClasses.map((size) => {
    const textOf = (places: Places<Page>) => pageText(places, Prisma.raw(String(size + 1)))
    return createStatement<Page, PageRow>({ name: `${name}_${size}`, columns, text: textOf })
  })
  return (tables, page) => {
    const fitting = statements[pageClasses.findIndex((size) => page.pageSize <= size)]
    if (fitting === undefined) throw new Error(`no page has ${page.pageSize} items`)
    return firstRow(tables, fitting, page)
  }
}

/** Rows that can be filtered in several ways. */
interface FilteredRows<Filters> {
  /** What follows FROM. */
  readonly from: Prisma.Sql
  /** Which of them are wanted. A filter that is not given is no condition. */
  readonly condition: (places: Places<Filters>) => Prisma.Sql
}

/** How these rows are listed. */
interface FilteredPages<Page> extends FilteredRows<Page>, PagedRows {
  /** Joined to the rows of a page, to print them. */
  readonly join?: Prisma.Sql
  /** True for what comes after the position before the page. */
  readonly isLater: (places: Places<Page>) => Prisma.Sql
  /** Whether the condition has `isFound`. */
  readonly isSearched?: boolean
}

/**
 * Makes pages of filtered rows. A search reads the ordinals of all that it finds and cuts them to the page: a planner
 * who expects it to find many would rather split text after text into words, in the order of the list, until the page
 * is full.
 */
export function createFilteredPages<Page extends PageSize & { readonly q?: string | null | undefined }>(
  name: string,
  { from, condition, join = Prisma.empty, isLater, isSearched = false, ...paged }: FilteredPages<Page>,
): ReadPage<Page> {
  const row = Prisma.raw(paged.alias)
  const { order } = paged
  const wanted = (places: Places<Page>) => Prisma.sql`${condition(places)} AND ${isLater(places)}`
  const create = (named: string, where: (places: Places<Page>, most: Prisma.Sql) => Prisma.Sql) =>
    createPages<Page>(named, {
      ...paged,
      rows: (places, most) => Prisma.sql`(
        SELECT ${row}.* FROM ${from}
         WHERE ${where(places, most)}
         ORDER BY ${order}
         LIMIT ${most}
      ) ${row} ${join}`,
    })
  const list = create(name, wanted)
  if (!isSearched) return list
  const search = create(
    `${name}_found`,
    (places, most) => Prisma.sql`${ofOrganization(paged.alias)} AND ${row}.ordinal = ANY (ARRAY(
             SELECT * FROM (SELECT ${row}.ordinal FROM ${from} WHERE ${wanted(places)} OFFSET 0) ${row}
              ORDER BY ${order} LIMIT ${most}))`,
  )
  return (tables, page) => (typeof page.q === 'string' ? search : list)(tables, page)
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
