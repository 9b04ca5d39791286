import { Link } from '@tanstack/react-router'
import type { PartProps } from './declaration.js'
import { RelatedPanel } from './related-panel.js'

/** Where the fields of entities of a type come from. */
export function TypeMappings({ id }: PartProps) {
  const by = { entityTypeId: id }
  return (
    <RelatedPanel
      path="mappings"
      by={by}
      add={
        <Link to="/mappings" search={by as never}>
          Create and change
        </Link>
      }
    />
  )
}
