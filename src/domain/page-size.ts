import { invalidField } from '../errors.js'

/** The most entries that a page has, and the size of a page of which the caller says nothing. */
export const MAX_PAGE_SIZE = 10_000

/** The size of the page to answer: 0 and whatever exceeds the maximum are the maximum (decisions, section 7). */
export function pageSizeFrom(requested: number): number {
  if (requested < 0) throw invalidField('pageSize', 'must not be negative')
  return requested === 0 ? MAX_PAGE_SIZE : Math.min(requested, MAX_PAGE_SIZE)
}

/** Sizes of pages for each of which a statement is made. */
const pageClasses = [100, 1_000, MAX_PAGE_SIZE] as const

/** The most entries that the pages of a statement have. */
export type PageClass = (typeof pageClasses)[number]

/** The smallest class that holds pages of the size. */
export function pageClassFor(pageSize: number): PageClass {
  return pageClasses.find((each) => pageSize <= each) ?? MAX_PAGE_SIZE
}

/**
 * The statement of each class. PostgreSQL keeps the plan of a prepared statement when it expects it to cost no more than a
 * new one; of a limit that is a parameter it expects a tenth of what there is, so that it would plan anew for every page
 * of a long list.
 */
export function perPageClass(statement: (most: PageClass) => string): Readonly<Record<PageClass, string>> {
  return { 100: statement(100), 1000: statement(1_000), 10000: statement(10_000) }
}
