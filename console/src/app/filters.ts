import { useNavigate, useSearch } from '@tanstack/react-router'

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

/** The filters in the address, and a function that changes some of them; `''` takes one away. */
export function useFilters(): [Search, (changes: Search) => void] {
  const filters = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = (changes: Search) => {
    void navigate({ to: '.', search: (previous: Search) => ({ ...previous, ...changes }), replace: true } as never)
  }
  return [filters, change]
}
