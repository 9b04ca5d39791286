import type { ReactNode } from 'react'
import type { Column } from './paged-table.js'
import { ShortTable } from './short-table.js'

/** What a write does to one field. */
export interface Change {
  /** Where several have the same label. */
  readonly key?: string
  readonly label: string
  /** Absent where nothing was there. */
  readonly from?: ReactNode
  readonly to: ReactNode
}

const field: Column<Change> = { label: 'Field', cell: ({ label }) => label }
const now: Column<Change> = { label: 'Now', cell: ({ from }) => from || '–' }
const keyOf = ({ label, key = label }: Change) => key

/** A column with what the write makes of each field. */
function afterwards(label: string): Column<Change> {
  return { label, cell: ({ to }) => <strong>{to || '–'}</strong> }
}

/** What a write changes, field by field. Nothing for no changes. */
export function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return null
  return <ShortTable label="Changes" columns={[field, now, afterwards('Then')]} rows={changes} keyOf={keyOf} />
}

/** Somebody else has changed the object: what was read, what it is now, and what this write would make of it. */
export function ConflictTable({ before, now: changes }: Readonly<Record<'before' | 'now', readonly Change[]>>) {
  const read: Column<Change> = {
    label: 'When you read it',
    cell: ({ label }) => before.find((change) => change.label === label)?.from || '–',
  }
  return (
    <div role="alert">
      <h2>Somebody else has changed this</h2>
      <p>Nothing of yours was saved, and nothing that you typed is lost. Compare, then go on or cancel.</p>
      <ShortTable label="Changes" columns={[field, read, now, afterwards('Yours')]} rows={changes} keyOf={keyOf} />
    </div>
  )
}
