import { useFilters } from './address.js'
import { type Filter, Filters } from './filters.js'
import { PagedTable, type PagedTableProps } from './paged-table.js'
import { Screen, type ScreenProps } from './screen.js'

interface ListScreenProps<Row> extends ScreenProps, Omit<PagedTableProps<Row>, 'label' | 'isPart'> {
  readonly filters?: readonly Filter[]
}

/** The screen of a list: what narrows it, and its rows; with dialogs, if any is open. */
export function ListScreen<Row>(props: ListScreenProps<Row>) {
  const { filters = [], pages, total, columns, keyOf, children, ...screen } = props
  const [given] = useFilters()
  const isNarrowed = filters.some(({ name }) => given[name])
  const empty = isNarrowed ? { title: 'Nothing matches', children: 'Remove a filter to see more.' } : props.empty
  return (
    <Screen fills why={pages.why} {...screen}>
      {filters.length > 0 && <Filters filters={filters} />}
      <PagedTable label={screen.title} pages={pages} total={total} columns={columns} keyOf={keyOf} empty={empty} />
      {children}
    </Screen>
  )
}
