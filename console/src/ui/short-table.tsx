import type { Column } from './paged-table.js'
import { Empty } from './states.js'
import styles from './table.module.css'

interface ShortTableProps<Row> {
  readonly label: string
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** What is said, and how that can change, where there is no row. */
  readonly empty?: readonly [title: string, text: string]
}

/** A table whose rows are all there. Where the screen is narrow, each row is a list of its cells with their labels. */
export function ShortTable<Row>({ label, columns, rows, keyOf, empty }: ShortTableProps<Row>) {
  const [first, ...others] = columns
  if (rows.length === 0 && empty) return <Empty title={empty[0]}>{empty[1]}</Empty>
  return (
    // Room for a table that may be wider than the screen.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and a section would be a landmark.
    <div className={styles['scroll']} role="group" aria-label={label} tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" className={column.isNumber ? styles['number'] : undefined}>
                <span className={column.hidesLabel ? 'unseen' : undefined}>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first?.cell(row)}</th>
              {others.map((column) => (
                <td
                  key={column.label}
                  className={column.isNumber ? styles['number'] : undefined}
                  data-label={column.hidesLabel ? undefined : column.label}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
