import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { usePages } from '../api/pages.js'

/** What the address says after its question mark: filters, tabs, what is open. */
export type Search = Readonly<Record<string, string>>

/** Reads the query of an address; of a name that is there twice, the last one counts. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Prints a query. What is empty is left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** What a link to a list with filters takes. */
export function listAt(to: string, search: Search) {
  return { to, search: search as never }
}

/** How far a list is read: whoever changes a filter begins anew. */
const beginning: Search = { pages: '', row: '' }

/** The filters in the address, and a function that changes some of them; `''` takes one away. */
export function useFilters(): [Search, (changes: Search) => void] {
  const filters = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = (changes: Search) => {
    const search = (previous: Search) => ({ ...previous, ...beginning, ...changes })
    void navigate({ to: '.', search, replace: true, resetScroll: false } as never)
  }
  return [filters, change]
}

/** Reads as many pages of a list as the address says, and returns what asks for one more there. */
export function usePagesOfAddress(
  list: Pick<ReturnType<typeof usePages>, 'data' | 'hasNextPage' | 'isFetching' | 'isError' | 'fetchNextPage'>,
): () => void {
  const [filters, change] = useFilters()
  const { hasNextPage, isFetching, isError, fetchNextPage } = list
  const read = list.data?.pages.length ?? 0
  const isWanted = read > 0 && read < Number(filters['pages'])
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [isWanted, hasNextPage, isFetching, isError, fetchNextPage])
  return () => change({ pages: String(read + 1) })
}
