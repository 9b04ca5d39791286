/** Sizes of pages for each of which a statement is made, the largest last. */
const pageClasses = [100, 1_000, 10_000] as const

/** The most entries that the pages of a statement have. */
export type PageClass = (typeof pageClasses)[number]

/** The smallest class that holds pages of the size. */
export function pageClassFor(pageSize: number): PageClass {
  return pageClasses.find((each) => pageSize <= each) ?? 10_000
}

/**
 * The statement of each class. PostgreSQL keeps the plan of a prepared statement when it expects it to cost no more than a
 * new one; of a limit that is a parameter it expects a tenth of what there is, so that it would plan anew for every page
 * of a long list.
 */
export function perPageClass<Each>(make: (most: PageClass) => Each): Readonly<Record<PageClass, Each>> {
  return { 100: make(100), 1000: make(1_000), 10000: make(10_000) }
}
