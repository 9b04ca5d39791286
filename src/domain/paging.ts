import type { Tables } from '../db/tables.js'
import { invalidField } from '../errors.js'
import { MAX_PAGE_SIZE, maxPageSize } from '../limits/known-limits.js'
import { loadedOnce } from '../runtime/loaded-once.js'
import type { PageRow, RowRange } from '../store/pages.js'
import { findSigningKey } from '../store/signing-key.js'
import { createSealer } from './value/sealed-text.js'

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
export function pageSizeFrom(requested: number, usual = MAX_PAGE_SIZE): number {
  return requested === 0 ? usual : Math.min(requested, maxPageSize(usual))
}

/** What a page token belongs to: the same method, organization and filter; the size of the page may change. */
export interface PageQuery {
  readonly method: string
  readonly organizationId: string
  readonly filter: Readonly<Record<string, string>>
}

/** Which page of a list to return; 0 and empty texts mean absent. */
export interface PageRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeTotal?: boolean
}

/** How the pages of a list are read. */
export interface PageSource {
  /** The size of a page if the caller names none. Default: as large as pages can be. */
  readonly usualSize?: number
  /** Reads the page after a position, which is undefined for the first one. */
  readonly read: (range: PageRange) => Promise<PageRow | undefined>
  /** How many items there are on all pages. */
  readonly count?: () => Promise<number>
}

/** The page after a position, or the first one. */
export interface PageRange {
  readonly after: string | undefined
  readonly pageSize: number
}

/** A page of a list. Throws `PAGE_TOKEN_INVALID`, and what the source throws. */
export async function pageOf(
  pageTokens: PageTokens,
  query: PageQuery,
  { pageToken, pageSize, includeTotal }: PageRequest,
  { usualSize, read, count }: PageSource,
): Promise<Page> {
  const after = await pageTokens.read(query, pageToken)
  const page = await read({ after, pageSize: pageSizeFrom(pageSize, usualSize) })
  return {
    items: page?.items ?? '',
    nextPageToken: page?.last == null ? '' : await pageTokens.issue(query, page.last),
    totalSize: includeTotal === true ? await count?.() : undefined,
  }
}

/** A page of rows in the order of the texts in a column, of which `list` reads so many after one. */
export async function pageOfRows<Column extends string>(
  { after = '', pageSize }: PageRange,
  column: Column,
  list: (range: RowRange) => Promise<Readonly<Record<Column, string>>[]>,
): Promise<PageRow> {
  const found = await list({ after, take: pageSize + 1 })
  const rows = found.slice(0, pageSize)
  const last = found.length > pageSize ? rows.at(-1)?.[column] : undefined
  return { items: rows.map((row) => JSON.stringify(row)).join(','), last: last ?? null }
}

/** Makes and reads page tokens. */
export interface PageTokens {
  /**
   * The token of the page that starts after `position`, a text in a format of the list's own: not empty, without
   * U+0000.
   */
  issue(query: PageQuery, position: string): Promise<string>
  /**
   * The position that a token holds; `undefined` for the empty token of the first page. Throws `PAGE_TOKEN_INVALID` for
   * a token that was changed or issued for another query.
   */
  read(query: PageQuery, token: string): Promise<string | undefined>
}

const SEAL = { purpose: 'page token', macBytes: 32, blockBytes: 32 }

/**
 * Makes page tokens, sealed for their query with the signing key `page_token`, which is read when first needed and then
 * cached.
 */
export function createPageTokens(tables: Tables): PageTokens {
  const sealer = loadedOnce(async () => {
    const key = await findSigningKey(tables, 'page_token')
    if (key === undefined) throw new Error('the database has no signing key for page tokens')
    return createSealer(key, SEAL)
  })
  return {
    issue: async (query, position) => (await sealer()).seal(contextOf(query), position),
    read: async (query, token) => {
      if (token === '') return undefined
      const position = (await sealer()).open(contextOf(query), token)
      if (position !== undefined) return position
      const advice = 'send it unchanged with the same filter, or omit it to start over'
      throw invalidField('pageToken', `was altered or belongs to a different query: ${advice}`, 'PAGE_TOKEN_INVALID')
    },
  }
}

/** JSON text has no U+0000, so it cannot run into what is sealed. */
function contextOf({ method, organizationId, filter }: PageQuery): string {
  const entries = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([method, organizationId, entries])
}
