import { invalidField } from '../../errors.js'

/** The most entries that a page has, and the size of a page of which the caller says nothing. */
export const MAX_PAGE_SIZE = 10_000

/** The size of the page to answer: 0 and whatever exceeds the maximum are the maximum (docs/http.md). */
export function pageSizeFrom(requested: number): number {
  if (requested < 0) throw invalidField('pageSize', `must be from 1 to ${MAX_PAGE_SIZE}, or 0 for the most`)
  return requested === 0 ? MAX_PAGE_SIZE : Math.min(requested, MAX_PAGE_SIZE)
}
