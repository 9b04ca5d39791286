import type { ReactNode } from 'react'
import { usePages } from '../../api/pages.js'
import { idOf, nameOf } from './declaration.js'
import { declarationAt } from './declarations.js'
import { MemberPanel } from './member-panel.js'
import { columnsOf } from './resource-list.js'

interface RelatedPanelProps {
  /** The path of the list. */
  readonly path: string
  /** What the list is narrowed by. */
  readonly by: Readonly<Record<string, string>>
  readonly add: ReactNode
}

/** What of another resource belongs to a thing. Throws for an unknown path. */
export function RelatedPanel({ path, by, add }: RelatedPanelProps) {
  const declaration = declarationAt(path)
  if (declaration === undefined) throw new Error(`nothing is at ${path}`)
  const pages = usePages(declaration.list, by as Record<string, never>)
  const [own] = Object.keys(by)
  return (
    <MemberPanel
      title={declaration.title}
      pages={pages}
      add={add}
      columns={columnsOf({ ...declaration, columns: declaration.columns.filter((name) => name !== own) })}
      keyOf={idOf}
      textOf={nameOf}
      empty={declaration.empty}
      emptyTitle="None yet"
    />
  )
}
