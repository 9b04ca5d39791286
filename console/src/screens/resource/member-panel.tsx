import { type ReactNode, useEffect, useState } from 'react'
import { Toolbar } from '../../ui/button.js'
import { ExportButton } from '../../ui/export-button.js'
import { SearchFilter } from '../../ui/filters.js'
import { type Column, PagedTable, type Pages } from '../../ui/paged-table.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Answered, Empty, FailureBox } from '../../ui/states.js'

interface MemberPanelProps<Row> {
  readonly title: string
  readonly pages: Pages<Row>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** What of a row is searched; absent for lists that are never long. */
  readonly textOf?: (row: Row) => string
  /** What that is; default: the name or the email of somebody. */
  readonly searched?: string
  readonly actions?: (row: Row) => ReactNode
  readonly add: ReactNode
  /** How the first row comes to be. */
  readonly empty: string
  /** What stands over it; default: Nobody yet. */
  readonly emptyTitle?: string
  /** An open dialog. */
  readonly children?: ReactNode
}

/** So many rows are seen at a glance; a longer list scrolls and is searched. */
const MANY = 25

/** What belongs to a thing, with what can be done about each. */
export function MemberPanel<Row>(props: MemberPanelProps<Row>) {
  const {
    title,
    pages,
    columns,
    keyOf,
    textOf,
    actions,
    add,
    empty,
    emptyTitle = 'Nobody yet',
    searched = 'Name or email',
    children,
  } = props
  const [text, setText] = useState('')
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage, error } = pages
  const isLong = rows.length > MANY || hasNextPage
  // What is searched is read as a whole.
  const isReading = text !== '' && hasNextPage
  useEffect(() => {
    if (isReading && !isFetchingNextPage && !error) void fetchNextPage()
  }, [isReading, isFetchingNextPage, error, fetchNextPage])
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = rows.filter((row) => words.every((word) => textOf?.(row).toLowerCase().includes(word)))
  const all: readonly Column<Row>[] = [
    ...columns,
    ...(actions ? [{ label: 'What can be done', hidesLabel: true, isMinor: true, cell: actions }] : []),
  ]
  return (
    <Panel
      title={title}
      actions={
        <Toolbar>
          {isLong && textOf && <SearchFilter label={searched} value={text} onChange={setText} />}
          {rows.length > 0 && !isLong && <ExportButton label={title} list={pages} />}
          {add}
        </Toolbar>
      }
    >
      <Answered asked={[{ ...pages, error: rows.length === 0 ? error : undefined }]}>
        {rows.length === 0 && <Empty title={emptyTitle}>{empty}</Empty>}
        {rows.length > 0 && !isLong && Boolean(error) && <FailureBox error={error} onRetry={pages.refetch} />}
        {rows.length > 0 && !isLong && <ShortTable label={title} columns={all} rows={rows} keyOf={keyOf} />}
        {isLong && (
          <PagedTable
            isPart
            label={title}
            pages={textOf ? { ...pages, rows: found } : pages}
            columns={all}
            keyOf={keyOf}
            empty={{ title: isReading ? 'Searching …' : 'Nothing has this name' }}
          />
        )}
      </Answered>
      {children}
    </Panel>
  )
}
