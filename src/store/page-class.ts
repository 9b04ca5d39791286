/** The page sizes that have a statement of their own, the largest last. */
const pageClasses = [100, 1_000, 10_000] as const

/** The most entries on a page of a statement. */
export type PageClass = (typeof pageClasses)[number]

/** The smallest class that fits pages of this size. */
export function pageClassFor(pageSize: number): PageClass {
  return pageClasses.find((each) => pageSize <= each) ?? 10_000
}

/**
 * The statement of each class. PostgreSQL keeps the plan of a prepared statement if it expects it to cost no more than
 * a new one; if the limit is a parameter, it expects a tenth of all rows, and so would plan every page of a long list
 * anew.
 */
export function perPageClass<Each>(make: (most: PageClass) => Each): Readonly<Record<PageClass, Each>> {
  return { 100: make(100), 1000: make(1_000), 10000: make(10_000) }
}
