import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Places, type Statement } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { type PagedRows, type PageRow, pageColumns, pageText } from './list.js'

/** Rows that can be filtered in several ways. */
export interface FilteredRows<Filters> {
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

/** Makes a statement for pages of filtered rows, which is planned with the values of each call. */
export function createFilteredPages<Page extends { readonly pageSize: number }>(
  name: string,
  { from, condition, alias, text, join = Prisma.empty, order, position, isLater }: FilteredPages<Page>,
): Statement<Page, PageRow> {
  const row = Prisma.raw(alias)
  return createStatement<Page, PageRow>({
    name,
    columns: pageColumns,
    planned: 'anew',
    text: (places) =>
      pageText(
        { alias, text, order, position, pageSize: places.pageSize },
        Prisma.sql`(
        SELECT ${row}.* FROM ${from}
         WHERE ${condition(places)} AND ${isLater(places)}
         ORDER BY ${order}
         LIMIT ${places.pageSize} + 1
      ) ${row} ${join}`,
      ),
  })
}

/** Makes the number of the rows that filters want, which reads all of them. */
export function createCount<Filters>(name: string, { from, condition }: FilteredRows<Filters>) {
  const statement = createStatement<Filters, { readonly count: number }>({
    name,
    columns: { count: 'int4' },
    planned: 'anew',
    text: (places) => Prisma.sql`SELECT count(*)::int AS count FROM ${from} WHERE ${condition(places)}`,
  })
  return async (tables: Tables, filters: Filters) => (await firstRow(tables, statement, filters))?.count ?? 0
}
