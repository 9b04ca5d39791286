import { Link } from '@tanstack/react-router'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { usePages } from '../../api/pages.js'
import { listAt } from '../../ui/address.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Answered, Empty } from '../../ui/states.js'
import { journeyColumns } from './journeys-screen.js'

const MAX_JOURNEYS = 8

const { name, due, progress, waiting } = journeyColumns

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
    <Panel title={title} actions={pages.hasNextPage && all}>
      <Answered asked={[pages]}>
        {pages.rows.length === 0 ? (
          <Empty title="No journey is under way">What is requested for a person is listed here until it is done.</Empty>
        ) : (
          <ShortTable
            label={title}
            columns={[name, due, progress, ...(saysWaits ? [waiting] : [])]}
            rows={pages.rows}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
    </Panel>
  )
}
