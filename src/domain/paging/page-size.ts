import { MAX_PAGE_SIZE } from '../../limits/known-limits.js'

/** The size of the page to return: 0, or more than the maximum, means the maximum (docs/http.md). */
export function pageSizeFrom(requested: number): number {
  return requested === 0 ? MAX_PAGE_SIZE : Math.min(requested, MAX_PAGE_SIZE)
}
