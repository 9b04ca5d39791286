import type { ReactNode } from 'react'
import { Scroll } from './scroll.js'
import styles from './table.module.css'

/** What a write does to one field. */
export interface Change {
  readonly label: string
  /** Absent where nothing was there. */
  readonly from?: ReactNode
  readonly to: ReactNode
}

/** What a write changes, field by field. Nothing for no changes. */
export function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return null
  return (
    <Scroll label="Changes">
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Now</th>
            <th scope="col">Then</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ label, from, to }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{from || '–'}</td>
              <td>
                <strong>{to || '–'}</strong>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

interface ConflictTableProps {
  readonly before: readonly Change[]
  readonly now: readonly Change[]
}

/** Somebody else has changed the object: what was read, what it is now, and what this write would make of it. */
export function ConflictTable({ before, now }: ConflictTableProps) {
  return (
    <div role="alert">
      <h2>Somebody else has changed this</h2>
      <p>Nothing of yours was saved, and nothing that you typed is lost. Compare, then go on or cancel.</p>
      <Scroll label="Changes">
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">When you read it</th>
              <th scope="col">Now</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {now.map(({ label, from, to }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{before.find((change) => change.label === label)?.from || '–'}</td>
                <td>{from || '–'}</td>
                <td>
                  <strong>{to || '–'}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}
