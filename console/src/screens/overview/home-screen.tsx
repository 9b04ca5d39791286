import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import type { CallerTeam } from '../../../../gen/svc/v2/caller_pb.js'
import { TeamUserRoleSchema, UserRoleSchema, UserService } from '../../../../gen/svc/v2/user_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { enumText, labelOf } from '../../api/words.js'
import type { Column } from '../../ui/paged-table.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { JourneysOf } from '../journeys/journeys-screen.js'

/** The first screen of those who do not look after the organization: their profile, teams and journeys. */
export function HomeScreen() {
  const caller = useCaller()
  const person = useQuery(UserService.method.getUser, { id: caller.id })
  const user = person.data?.data
  return (
    <Screen title="Home" lead={`You are signed in as ${nameOf(caller)}.`}>
      <Panel
        title="Your profile"
        asked={[person]}
        actions={<Link to={`/people/${encodeURIComponent(caller.id)}`}>Edit your profile</Link>}
      >
        {user && (
          <Facts
            facts={{
              Name: user.name,
              Role: enumText(UserRoleSchema, user.role),
              ...Object.fromEntries(shown.map((name) => [labelOf(name), user[name]])),
            }}
          />
        )}
      </Panel>
      <JourneysOf userId={caller.id} title="Your journeys" saysWaits />
      <Panel title="Your teams">
        <ShortTable
          label="Your teams"
          columns={teamColumns}
          rows={caller.teams}
          keyOf={({ teamId }) => teamId}
          empty={['You are in no team', 'An administrator or the manager of a team gives roles.']}
        />
      </Panel>
    </Screen>
  )
}

const teamColumns: readonly Column<CallerTeam>[] = [
  { label: 'Team', cell: ({ teamId, name }) => <Link to={`/teams/${encodeURIComponent(teamId)}`}>{name}</Link> },
  { label: 'Your role', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
]

const shown = ['email', 'jobTitle', 'department', 'primaryPhone', 'timezone', 'locale'] as const
