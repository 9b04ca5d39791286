import { Link } from '@tanstack/react-router'
import { idOf } from '../../api/message.js'
import { entryOf, type ResourceDeclaration } from './declaration.js'
import { declarationAt } from './declarations.js'
import { MemberPanel, useSearchedPages } from './member-panel.js'
import { columnsOf } from './resource-list.js'

interface RelatedPanelProps {
  readonly related: NonNullable<ResourceDeclaration['related']>
  readonly id: string
}

/** What of another resource belongs to a thing. Throws for an unknown path. */
export function RelatedPanel({ related: { path, by }, id }: RelatedPanelProps) {
  const declaration = declarationAt(path)
  if (declaration === undefined) throw new Error(`nothing is at ${path}`)
  const { title, list, update, columns, empty } = declaration
  const narrowed = { [by]: id } as Record<string, never>
  return (
    <MemberPanel
      title={title}
      pages={useSearchedPages(list, narrowed)}
      add={
        <Link to={`/${path}`} search={narrowed}>
          {entryOf(update).list ? 'Edit as a table' : 'Create and change'}
        </Link>
      }
      columns={columnsOf({ ...declaration, columns: columns.filter((name) => name !== by) })}
      keyOf={idOf}
      empty={empty}
      emptyTitle="None yet"
    />
  )
}
