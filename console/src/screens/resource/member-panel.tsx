import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf'
import { type ReactNode, useState } from 'react'
import { usePages } from '../../api/pages.js'
import { Toolbar } from '../../ui/button.js'
import { ExportButton } from '../../ui/export-button.js'
import { SearchFilter } from '../../ui/filters.js'
import { type Column, PagedTable, type Pages } from '../../ui/paged-table.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Answered, FailureBox } from '../../ui/states.js'

interface MemberPanelProps<Row> {
  readonly title: string
  readonly pages: Pages<Row> & { readonly search?: ReturnType<typeof useSearchedPages>['search'] }
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
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

/** The pages of what belongs to a thing, which are searched by name. */
export function useSearchedPages<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
) {
  const [q, setText] = useState('')
  const request: unknown = { ...input, ...(q && { q }) }
  const pages = usePages(method, request as MessageInitShape<I>)
  return { ...pages, search: { q, setText } }
}

/** What belongs to a thing, with what can be done about each. */
export function MemberPanel<Row>(props: MemberPanelProps<Row>) {
  const { title, pages, columns, keyOf, actions, add, empty, emptyTitle = 'Nobody yet', children } = props
  const { rows, hasNextPage, error, search } = pages
  const isLong = rows.length > MANY || hasNextPage || Boolean(search?.q)
  const all: readonly Column<Row>[] = [
    ...columns,
    ...(actions
      ? [{ label: 'What can be done', hidesLabel: true, isMinor: true, size: 'buttons' as const, cell: actions }]
      : []),
  ]
  return (
    <Panel
      title={title}
      actions={
        <Toolbar>
          {isLong && search && (
            <SearchFilter
              label={pages.schema.field['email'] ? 'Name or email' : 'Search by name'}
              value={search.q}
              onChange={search.setText}
            />
          )}
          {rows.length > 0 && !isLong && <ExportButton label={title} list={pages} />}
          {add}
        </Toolbar>
      }
    >
      <Answered asked={[{ ...pages, error: rows.length === 0 ? error : undefined }]}>
        {!isLong && Boolean(error) && <FailureBox error={error} onRetry={pages.refetch} />}
        {!isLong && <ShortTable label={title} columns={all} rows={rows} keyOf={keyOf} empty={[emptyTitle, empty]} />}
        {isLong && (
          <PagedTable
            isPart
            label={title}
            pages={pages}
            columns={all}
            keyOf={keyOf}
            empty={{ title: 'Nothing has this name' }}
          />
        )}
      </Answered>
      {children}
    </Panel>
  )
}
