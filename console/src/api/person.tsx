import { Link } from '@tanstack/react-router'
import { useName } from './names.js'

/** The text for a person's id. */
export function usePersonName(id: string): string {
  return useName('user', id) ?? '…'
}

/** A link to a person by name; where there is no such person, or the caller may not see them, the id. */
export function PersonLink({ id }: { readonly id: string }) {
  const name = usePersonName(id)
  if (name === id) return <>{id || '–'}</>
  return <Link to={`/people/${encodeURIComponent(id)}`}>{name}</Link>
}
