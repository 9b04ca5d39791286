import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { type Journey, JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { useName } from '../../api/names.js'
import { usePages, useTotal } from '../../api/pages.js'
import { PersonLink, ThingName } from '../../api/things.js'
import { optionsOf } from '../../api/words.js'
import { listAt, type Search, useFilters } from '../../ui/address.js'
import { Badge } from '../../ui/button.js'
import type { Filter } from '../../ui/filters.js'
import { ListScreen } from '../../ui/list-screen.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { dateText, lateText } from '../../ui/when.js'
import styles from './journeys.module.css'

const PAGE_SIZE = 200

/** The journeys: which are late, and which fail. */
export function JourneysScreen() {
  const [filters] = useFilters()
  const about = { userId: useCaller().id }
  const request = requestFrom(filters)
  const areLate = filters['state'] === 'overdue'
  const listed = { ...request, pageSize: PAGE_SIZE, includeNextTasks: areLate }
  const pages = usePages(JourneyService.method.listJourneys, listed, { about })
  const total = useTotal(JourneyService.method.listJourneys, request, { about })
  const columns = columnsFor(areLate)
  const usable: readonly Filter[] = [
    { name: 'q', label: 'Search by name', kind: 'search' },
    { name: 'team', label: 'Team', kind: 'thing', of: 'teams' },
    {
      name: 'state',
      label: 'State',
      options: optionsOf('Under way', {
        punctual: 'On time',
        overdue: 'Late',
        failing: 'With a failing check',
        archived: 'Archived',
      }),
    },
    { name: 'requester', label: 'For', kind: 'fixed', text: <PersonLink id={filters['requester'] ?? ''} /> },
  ]
  return (
    <ListScreen
      title="Journeys"
      filters={usable}
      pages={pages}
      total={total.data}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: 'No journey matches', children: 'Workflows start journeys, and an import brings them in.' }}
    />
  )
}

/** What every list of journeys says of one. */
export const journeyColumns = {
  name: { label: 'Journey', cell: ({ id, name }) => <Link to={`/journeys/${encodeURIComponent(id)}`}>{name}</Link> },
  requester: { label: 'For', size: 'narrow', isMinor: true, cell: (each) => <PersonLink id={each.requesterUserId} /> },
  due: { label: 'Due', size: 'narrow', cell: (journey) => <DueDate journey={journey} /> },
  progress: { label: 'Progress', size: 'narrow', isMinor: true, cell: (journey) => <Progress journey={journey} /> },
  waiting: { label: 'Waits for', size: 'wide', cell: (journey) => <WaitsForText journey={journey} /> },
} satisfies Readonly<Record<string, Column<Journey>>>

const { name, requester, due, progress, waiting } = journeyColumns

/** Those of late journeys say what each waits for. */
function columnsFor(areLate: boolean): readonly Column<Journey>[] {
  if (areLate) return [name, requester, due, waiting]
  return [
    name,
    { label: 'Number', size: 'narrow', isMinor: true, cell: ({ friendlyIdentifier }) => friendlyIdentifier },
    { label: 'Team', isMinor: true, cell: ({ teamId }) => <ThingName kind="teams" id={teamId} /> },
    due,
    progress,
    { label: 'Checks', size: 'narrow', isMinor: true, cell: (journey) => <CheckCounts journey={journey} /> },
  ]
}

/** When a journey is due, and whether that is over. */
export function DueDate({ journey: { dueDate, progressPercent, archivedAt } }: { readonly journey: Journey }) {
  const late = progressPercent < 100 && archivedAt === undefined ? lateText(dueDate) : ''
  return (
    <span className={styles['due']}>
      {dateText(dueDate) || '–'} {late && <small>{late} late</small>}
    </span>
  )
}

/** How much of a journey is done, as a bar and in words. */
export function Progress({ journey: { progressPercent } }: { readonly journey: Journey }) {
  return (
    <span className={styles['progress']}>
      <progress max={100} value={progressPercent} aria-label="Progress" /> {progressPercent}%
    </span>
  )
}

/** How many checks of a journey are failing, or warn. */
export function CheckCounts({ journey: { healthCheckCounts: counts } }: { readonly journey: Journey }) {
  if (counts === undefined || counts.totalCount === 0) return <>–</>
  if (counts.failingCount > 0) return <Badge tone="bad">{counts.failingCount} failing</Badge>
  if (counts.warningCount > 0) return <Badge tone="warn">{counts.warningCount} warn</Badge>
  return <Badge tone="good">{counts.passingCount} pass</Badge>
}

function requestFrom({ q = '', team = '', state = '', requester = '' }: Search) {
  return {
    q,
    teamId: team,
    requesterUserId: requester,
    isArchived: state === 'archived',
    ...(['punctual', 'overdue'].includes(state) && { isOverdue: state === 'overdue' }),
    ...(state === 'failing' && { isFailing: true }),
  }
}

const MAX_JOURNEYS = 8

interface JourneysOfProps {
  readonly userId: string
  readonly title: string
  readonly saysWaits?: boolean
}

/** The first journeys that are under way for somebody. */
export function JourneysOf({ userId, title, saysWaits = false }: JourneysOfProps) {
  const request = { requesterUserId: userId, isArchived: false, pageSize: MAX_JOURNEYS, includeNextTasks: saysWaits }
  const pages = usePages(JourneyService.method.listJourneys, request, { about: { userId } })
  const all = <Link {...listAt('/journeys', { requester: userId })}>All journeys</Link>
  return (
    <Panel title={title} actions={pages.hasNextPage && all} asked={[pages]}>
      <ShortTable
        label={title}
        columns={[name, due, progress, ...(saysWaits ? [waiting] : [])]}
        rows={pages.rows}
        keyOf={({ id }) => id}
        empty={['No journey is under way', 'What is requested for a person is listed here until it is done.']}
      />
    </Panel>
  )
}

/** The same on one line, for a journey of a list, of whose tasks only these are there. */
function WaitsForText({ journey: { tasks } }: { readonly journey: Journey }) {
  if (tasks.length === 0) return <>Nothing</>
  return (
    <span title={tasks.map(({ name }) => name).join(', ')}>
      {tasks.map((task, index) => (
        <Fragment key={task.id}>
          {index > 0 && ', '}
          {task.name}
          {task.assignedToUserId && <Assignee id={task.assignedToUserId} />}
        </Fragment>
      ))}
    </span>
  )
}

/** Who is to do it, for those who may see that. */
function Assignee({ id }: { readonly id: string }) {
  const name = useName('user', id)
  return name === undefined || name === id ? null : ` (${name})`
}
