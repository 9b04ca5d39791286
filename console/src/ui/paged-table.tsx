import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import Ellipsis from 'lucide-react/dist/esm/icons/ellipsis.mjs'
import { memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { numberText } from '../api/words.js'
import { useFilters } from './address.js'
import { Button } from './button.js'
import { Dialog, DialogFoot } from './dialog.js'
import { ExportButton, type WholeList } from './export-button.js'
import { Facts } from './screen.js'
import { type Asked, Empty, FailureBox, Skeleton } from './states.js'
import styles from './table.module.css'

/** A column of a long list. */
export interface Column<Row> {
  readonly label: string
  /** Narrow ones are for a word or a number, those of moments and of two buttons as wide as these are. */
  readonly size?: 'tiny' | 'narrow' | 'moment' | 'buttons' | 'wide'
  /** The label is for screen readers alone. */
  readonly hidesLabel?: boolean
  /** Left out where the screen is narrow. */
  readonly isMinor?: boolean
  /** It is at the right, so that digits stand below each other. */
  readonly isNumber?: boolean
  readonly cell: (row: Row) => ReactNode
}

/** A list that is read page by page, as `usePages` gives it. */
export interface Pages<Row> extends WholeList, Asked {
  readonly rows: readonly Row[]
  readonly isFetchingNextPage: boolean
  readonly hasNextPage: boolean
  readonly fetchNextPage: () => unknown
}

export interface PagedTableProps<Row> {
  readonly label: string
  readonly pages: Pages<Row>
  /** How many rows there are in all, once that is known. */
  readonly total?: number | undefined
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** What is shown where the list has no row. */
  readonly empty: { readonly title: string; readonly children?: ReactNode }
  /** A part of a screen, whose address says nothing of it. */
  readonly isPart?: boolean
}

const ROW_HEIGHT = 44
/** How close to the last row the next page is asked for. */
const ROWS_AHEAD = 60

/** A long list: what is in sight is in the document, at first as much as a window shows; more is read as it is scrolled. */
export function PagedTable<Row>({ label, pages, total, columns, keyOf, empty, isPart = false }: PagedTableProps<Row>) {
  const [opened, setOpened] = useState<Row>()
  const close = () => setOpened(undefined)
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    initialRect: { width: innerWidth, height: innerHeight },
  })
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - ROWS_AHEAD && hasNextPage && !isFetchingNextPage && !pages.error) fetchNextPage()
  }, [last, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage, pages.error])
  useRowOfAddress(pages, virtual, isPart)
  if (pages.error) return <FailureBox error={pages.error} onRetry={pages.refetch} />
  if (pages.isPending) return <Skeleton lines={10} />
  if (rows.length === 0) return <Empty {...empty} />
  const openedRow = opened && rows.find((row) => keyOf(row) === keyOf(opened))
  const hasMore = columns.some(({ isMinor }) => isMinor)
  const look = `${styles['grid']} ${isPart ? styles['part'] : ''}`
  const [above, below] = [shown[0]?.start ?? 0, virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)]
  return (
    <>
      {/* Above the rows: those who use the keyboard would not come to what is below them. */}
      <div className={styles['foot']}>
        <p role="status">{shownText(rows.length, hasNextPage, total)}</p>
        <ExportButton label={label} list={pages} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard. */}
      <section className={look} ref={scroller} aria-label={label} tabIndex={0}>
        <table aria-rowcount={hasNextPage && total === undefined ? -1 : (total ?? rows.length) + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th key={column.label} scope="col" className={classOf(column)}>
                  <span className={column.hidesLabel ? 'unseen' : undefined}>{column.label}</span>
                </th>
              ))}
              {hasMore && <td className={styles['more']} />}
            </tr>
          </thead>
          <tbody>
            <Spacer height={above} />
            {shown.map(({ index }) => {
              const row = rows[index]
              if (row === undefined) return null
              return (
                <TableRow
                  key={keyOf(row)}
                  index={index}
                  row={row}
                  columns={columns}
                  onOpen={hasMore ? setOpened : undefined}
                />
              )
            })}
            <Spacer height={below} />
          </tbody>
        </table>
      </section>
      {openedRow !== undefined && (
        <Dialog title="Details of the row" onClose={close}>
          <Facts facts={Object.fromEntries(columns.map(({ label: name, cell }) => [name, cell(openedRow)]))} />
          <DialogFoot>
            <Button onClick={close}>Close</Button>
          </DialogFoot>
        </Dialog>
      )}
    </>
  )
}

/** How long a list stands still before the address says where. */
const STILL_MILLIS = 300

/** Scrolls to the row that the address names, as soon as it is read; then the address names the first row in sight. */
function useRowOfAddress<Row>(pages: Pages<Row>, virtual: Virtualizer<HTMLDivElement, Element>, isPart: boolean): void {
  const [filters, change] = useFilters()
  const { row = '0' } = isPart ? {} : filters
  const wanted = useRef(Number(row))
  const { rows, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, error } = pages
  const count = rows.length
  useEffect(() => {
    if (!(wanted.current > 0) || isPending || isFetchingNextPage || error) return
    if (count <= wanted.current && hasNextPage) return void fetchNextPage()
    virtual.scrollToIndex(Math.min(wanted.current, count - 1), { align: 'start' })
    wanted.current = 0
  }, [count, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, error, virtual])
  const before = useRef(row)
  useEffect(() => {
    // Only a changed filter takes the row away before the list is at its beginning.
    if (row === '0' && before.current !== '0') virtual.scrollToOffset(0)
    before.current = row
  }, [row, virtual])
  useEffect(() => {
    if (isPart || wanted.current > 0 || isPending) return
    const timer = setTimeout(() => {
      // The virtualizer may still have the offset of a longer list that was here before.
      const { scrollElement } = virtual
      if (scrollElement === null) return
      const first = Math.ceil(scrollElement.scrollTop / ROW_HEIGHT)
      if (first !== Number(row)) change({ row: first === 0 ? '' : String(first) })
    }, STILL_MILLIS)
    return () => clearTimeout(timer)
  })
}

interface TableRowProps<Row> {
  readonly index: number
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly onOpen: ((row: Row) => void) | undefined
}

/** A row, which is made once while it is scrolled through the window. */
const TableRow = memo(function TableRow<Row>({ index, row, columns, onOpen }: TableRowProps<Row>) {
  return (
    <tr aria-rowindex={index + 2}>
      {columns.map((column) => (
        <td key={column.label} className={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
      {onOpen && (
        <td className={styles['more']}>
          <Button look="quiet" isIcon label={`More of row ${index + 1}`} onClick={() => onOpen(row)}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        </td>
      )}
    </tr>
  )
}) as <Row>(props: TableRowProps<Row>) => ReactNode

function classOf<Row>({ size, isMinor, isNumber }: Column<Row>): string {
  return `${size ? styles[size] : ''} ${isMinor ? styles['minor'] : ''} ${isNumber ? styles['number'] : ''}`
}

/** Stands for the rows out of sight. Its height is set by the script: the policy allows no attributes of style. */
function Spacer({ height }: { readonly height: number }) {
  return (
    <tr className={styles['spacer']}>
      <td ref={(cell) => cell?.style.setProperty('height', `${height}px`)} />
    </tr>
  )
}

function shownText(shown: number, hasMore: boolean, total: number | undefined): string {
  if (!hasMore) return `${numberText(shown)} in all`
  return `${numberText(shown)} ${total === undefined ? '' : `of ${numberText(total)} `}read; scroll for more`
}
