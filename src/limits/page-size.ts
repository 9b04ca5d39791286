/** How many entries a page has by default, in lists that declare no more than others. */
export const USUAL_PAGE_SIZE = 100

/** The most entries in a page of a list whose pages have `usual` by default. */
export function maxPageSize(usual: number): number {
  return Math.max(usual, 1_000)
}
