import { Link } from '@tanstack/react-router'
import type { CallerTeam } from '../../../../gen/svc/v2/caller_pb.js'
import { type Journey, JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { TeamUserRoleSchema } from '../../../../gen/svc/v2/user_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { enumText } from '../../api/words.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Answered, Empty } from '../../ui/states.js'
import { dateText } from '../../ui/when.js'
import { Progress } from '../journeys/journeys-screen.js'
import { WaitsForText } from '../journeys/waits-for.js'

/** What each of them waits for is read for each. */
const MAX_JOURNEYS = 8

/** The first screen of those who do not look after the organization: their profile, teams and journeys. */
export function HomeScreen() {
  const caller = useCaller()
  return (
    <Screen
      title="Home"
      lead={`You are signed in as ${caller.name || caller.id}.`}
      actions={
        <Link to="/people/$id" params={{ id: caller.id }}>
          Your profile
        </Link>
      }
    >
      <Journeys userId={caller.id} />
      <Panel title="Your teams">
        {caller.teams.length === 0 ? (
          <Empty title="You are in no team">An administrator or the manager of a team gives roles.</Empty>
        ) : (
          <ShortTable label="Your teams" columns={teamColumns} rows={caller.teams} keyOf={({ teamId }) => teamId} />
        )}
      </Panel>
    </Screen>
  )
}

const teamColumns: readonly Column<CallerTeam>[] = [
  { label: 'Team', cell: ({ teamId, name }) => <Link to={`/teams/${encodeURIComponent(teamId)}`}>{name}</Link> },
  { label: 'Your role', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
]

const journeyColumns: readonly Column<Journey>[] = [
  {
    label: 'Journey',
    cell: ({ id, name }) => (
      <Link to="/journeys/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { label: 'Due', cell: ({ dueDate }) => dateText(dueDate) || '–' },
  { label: 'Progress', cell: (journey) => <Progress journey={journey} /> },
  { label: 'Waits for', cell: ({ id }) => <WaitsForText id={id} /> },
]

function Journeys({ userId }: { readonly userId: string }) {
  const request = { requesterUserId: userId, isArchived: false, pageSize: MAX_JOURNEYS }
  const pages = usePages(JourneyService.method.listJourneys, request)
  return (
    <Panel title="Your journeys" actions={<Link to="/journeys">All journeys</Link>}>
      <Answered asked={[pages]}>
        {pages.rows.length === 0 ? (
          <Empty title="No journey is under way for you">What is asked for in your name stands here.</Empty>
        ) : (
          <ShortTable label="Your journeys" columns={journeyColumns} rows={pages.rows} keyOf={({ id }) => id} />
        )}
      </Answered>
    </Panel>
  )
}
