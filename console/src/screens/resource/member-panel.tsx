import type { ReactNode } from 'react'
import { usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import type { Column, Pages } from '../../ui/paged-table.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Empty, FailureBox, Skeleton } from '../../ui/states.js'

type MemberPages<Row> = Parameters<typeof usePagesOfAddress>[0] & Pages<Row>

interface MemberPanelProps<Row> {
  readonly title: string
  readonly pages: MemberPages<Row>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly actions: (row: Row) => ReactNode
  readonly add: ReactNode
  /** How the first row comes to be. */
  readonly empty: string
  /** What stands over it; default: Nobody yet. */
  readonly emptyTitle?: string
  /** An open dialog. */
  readonly children?: ReactNode
}

/** A short list of what belongs to a thing, with what can be done about each. */
export function MemberPanel<Row>({
  title,
  pages,
  columns,
  keyOf,
  actions,
  add,
  empty,
  emptyTitle = 'Nobody yet',
  children,
}: MemberPanelProps<Row>) {
  const { rows } = pages
  const showMore = usePagesOfAddress(pages, title.toLowerCase().replaceAll(' ', '-'))
  return (
    <Panel title={title} actions={add}>
      {pages.isPending && <Skeleton lines={3} />}
      {pages.error ? <FailureBox error={pages.error} onRetry={pages.refetch} /> : null}
      {!pages.isPending && !pages.error && rows.length === 0 && <Empty title={emptyTitle}>{empty}</Empty>}
      {rows.length > 0 && (
        <ShortTable
          label={title}
          columns={[...columns, { label: 'What can be done', hidesLabel: true, cell: actions }]}
          rows={rows}
          keyOf={keyOf}
        />
      )}
      {pages.hasNextPage && <Button onClick={showMore}>Show more</Button>}
      {children}
    </Panel>
  )
}
