import type { Column } from './paged-table.js'
import { Scroll } from './scroll.js'
import styles from './table.module.css'

interface ShortTableProps<Row> {
  readonly label: string
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A table whose rows are all there. Where the screen is narrow, each row is a list of its cells with their labels. */
export function ShortTable<Row>({ label, columns, rows, keyOf }: ShortTableProps<Row>) {
  const [first, ...others] = columns
  return (
    <Scroll label={label}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col">
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
                <td key={column.label} data-label={column.hidesLabel ? undefined : column.label}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
