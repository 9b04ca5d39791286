import { maxPageSize, USUAL_PAGE_SIZE } from '../limits/known-limits.js'
import type { PageRow } from '../store/pages.js'
import type { CallContext } from './caller/caller.js'
import type { PageQuery } from './value/page-token.js'

/**
 * A page of a list: the JSON of its items with commas between them, the token of the next page, empty on the last, and
 * how many items there are on all pages if that was asked for.
 */
export interface Page {
  readonly items: string
  readonly nextPageToken: string
  readonly totalSize?: number | undefined
}

/** The size of the page to return: 0 means the usual one, more than the maximum means the maximum (docs/http.md). */
export function pageSizeFrom(requested: number, usual = USUAL_PAGE_SIZE): number {
  return requested === 0 ? usual : Math.min(requested, maxPageSize(usual))
}

/** Which page of a list to return; 0 and empty texts mean absent. */
export interface PageRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeTotal?: boolean
}

export interface PageSource extends Omit<PageQuery, 'organizationId'> {
  /** The size of a page if the caller names none. Default: that of most lists. */
  readonly usualSize?: number | undefined
  /** Reads the page after a position, which is undefined for the first one. */
  readonly read: (range: PageRange) => Promise<PageRow | undefined>
  readonly count?: () => Promise<number>
}

export interface PageRange {
  readonly after: string | undefined
  readonly pageSize: number
}

/** A page of a list of the caller's organization. Throws `PAGE_TOKEN_INVALID`, and what the source throws. */
export async function pageOf(
  { caller: { organizationId }, pageTokens }: CallContext,
  { pageToken, pageSize, includeTotal }: PageRequest,
  { method, filter, usualSize, read, count }: PageSource,
): Promise<Page> {
  const query = { method, organizationId, filter }
  const after = await pageTokens.read(query, pageToken)
  const [page, totalSize] = await Promise.all([
    read({ after, pageSize: pageSizeFrom(pageSize, usualSize) }),
    includeTotal === true ? count?.() : undefined,
  ])
  return {
    items: page?.items ?? '',
    nextPageToken: page?.last == null ? '' : await pageTokens.issue(query, page.last),
    totalSize,
  }
}
