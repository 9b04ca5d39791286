import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Parameter, type Places, type StatementDefinition } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { itemsText } from './resource/text.js'

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

/** Selects a page, given what follows FROM: its rows, and one more if there are more. */
export function pageText(
  { alias, text, order, position }: PagedRows,
  pageSize: Parameter,
  rows: Prisma.Sql,
): Prisma.Sql {
  const row = Prisma.raw(alias)
  return Prisma.sql`
SELECT ${itemsText(Prisma.sql`${row}.printed`, order, Prisma.sql`${row}.place <= ${pageSize}`)} AS items,
       CASE WHEN count(*) > ${pageSize} THEN max(${row}.last) FILTER (WHERE ${row}.place = ${pageSize}) END AS last
  FROM (
    SELECT ${row}.*, ${text} AS printed, ${position} AS last, row_number() OVER (ORDER BY ${order}) AS place
      FROM ${rows}
  ) ${row}`
}

/** How pages are made: `rows` is what follows FROM. Default: planned with the values of each call. */
interface Pages<Page> extends PagedRows, Partial<Pick<StatementDefinition<Page, PageRow>, 'planned'>> {
  readonly rows: (places: Places<Page>) => Prisma.Sql
}

/** Makes a list in pages. */
export function createPages<Page extends PageSize>(
  name: string,
  { rows, planned = 'anew', ...paged }: Pages<Page>,
): ReadPage<Page> {
  const text = (places: Places<Page>) => pageText(paged, places.pageSize, rows(places))
  const statement = createStatement<Page, PageRow>({ name, columns, planned, text })
  return (tables, page) => firstRow(tables, statement, page)
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
}

/** Makes pages of filtered rows. */
export function createFilteredPages<Page extends PageSize>(
  name: string,
  { from, condition, join = Prisma.empty, isLater, ...paged }: FilteredPages<Page>,
): ReadPage<Page> {
  const row = Prisma.raw(paged.alias)
  return createPages<Page>(name, {
    ...paged,
    rows: (places) => Prisma.sql`(
        SELECT ${row}.* FROM ${from}
         WHERE ${condition(places)} AND ${isLater(places)}
         ORDER BY ${paged.order}
         LIMIT ${places.pageSize} + 1
      ) ${row} ${join}`,
  })
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

/** The page sizes that have a statement of their own, the largest last. */
const pageClasses = [100, 1_000, 10_000] as const

/**
 * Makes a list in pages whose plans are kept; the text receives a constant that no page, with one row more, exceeds.
 * PostgreSQL keeps the plan of a prepared statement if it expects it to cost no more than a new one. If the limit were a
 * parameter, it would expect a tenth of all rows, and so plan every page anew, which leaves a page of ten users 0.54 of
 * its throughput, and of ten app instances 0.65.
 */
export function createPagedList<Page extends PageSize>(
  name: string,
  text: (places: Places<Page>, most: Prisma.Sql) => Prisma.Sql,
): ReadPage<Page> {
  const statements = pageClasses.map((size) =>
    createStatement<Page, PageRow>({
      name: `${name}_${size}`,
      columns,
      text: (places) => text(places, Prisma.raw(String(size + 1))),
    }),
  )
  return (tables, page) => {
    const fitting = statements[pageClasses.findIndex((size) => page.pageSize <= size)]
    if (fitting === undefined) throw new Error(`no page has ${page.pageSize} items`)
    return firstRow(tables, fitting, page)
  }
}
