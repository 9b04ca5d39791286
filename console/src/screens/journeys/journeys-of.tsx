import { Link } from '@tanstack/react-router'
import { type Journey, JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Answered, Empty } from '../../ui/states.js'
import { DueDate, Progress } from './journeys-screen.js'
import { WaitsForText } from './waits-for.js'

const MAX_JOURNEYS = 8

const columns: readonly Column<Journey>[] = [
  {
    label: 'Journey',
    cell: ({ id, name }) => (
      <Link to="/journeys/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { label: 'Due', cell: (journey) => <DueDate journey={journey} /> },
  { label: 'Progress', cell: (journey) => <Progress journey={journey} /> },
]
/** What each of them waits for is read for each. */
const waiting: Column<Journey> = { label: 'Waits for', cell: ({ id }) => <WaitsForText id={id} /> }

interface JourneysOfProps {
  readonly userId: string
  readonly title: string
  readonly saysWaits?: boolean
}

/** The first journeys that are under way for somebody. */
export function JourneysOf({ userId, title, saysWaits = false }: JourneysOfProps) {
  const why = useWhyNot(JourneyService.method.listJourneys, { userId })
  const request = { requesterUserId: userId, isArchived: false, pageSize: MAX_JOURNEYS }
  const pages = usePages(JourneyService.method.listJourneys, request, why === undefined)
  const all = (
    <Link to="/journeys" search={{ requester: userId } as never}>
      All journeys
    </Link>
  )
  return (
    <Panel title={title} actions={pages.hasNextPage && all}>
      <Answered why={why} asked={[pages]}>
        {pages.rows.length === 0 ? (
          <Empty title="No journey is under way">What is requested for a person stands here until it is done.</Empty>
        ) : (
          <ShortTable
            label={title}
            columns={saysWaits ? [...columns, waiting] : columns}
            rows={pages.rows}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
    </Panel>
  )
}
