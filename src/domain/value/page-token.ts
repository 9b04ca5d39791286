import type { Tables } from '../../db/tables.js'
import { invalidField } from '../../errors.js'
import { loadedOnce } from '../../runtime/loaded-once.js'
import { findSigningKey } from '../../store/signing-key.js'
import { createSealer } from './sealed-text.js'

/** The query that a page token belongs to: method, organization and filter. The page size may change. */
export interface PageQuery {
  readonly method: string
  readonly organizationId: string
  readonly filter: Readonly<Record<string, string>>
}

export type PageTokens = ReturnType<typeof createPageTokens>

const SEAL = { purpose: 'page token', macBytes: 32, blockBytes: 32 }

/**
 * Makes page tokens, sealed for their query with the signing key `page_token`, which is read when first needed and then
 * cached.
 */
export function createPageTokens(tables: Tables) {
  const sealer = loadedOnce(async () => {
    const key = await findSigningKey(tables, 'page_token')
    if (key === undefined) throw new Error('the database has no signing key for page tokens')
    return createSealer(key, SEAL)
  })
  return {
    /**
     * The token of the page that starts after `position`, a text in a format that the list defines: not empty, without
     * U+0000.
     */
    issue: async (query: PageQuery, position: string) => (await sealer()).seal(contextOf(query), position),
    /**
     * The position in a token; `undefined` for the empty token of the first page. Throws `PAGE_TOKEN_INVALID` for
     * a token that was changed or issued for another query.
     */
    read: async (query: PageQuery, token: string): Promise<string | undefined> => {
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
