import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { GroupService } from '../../../gen/svc/v2/group_pb.js'
import { TeamService } from '../../../gen/svc/v2/team_pb.js'
import { useCaller, useWhyNot } from './caller-context.js'
import { usePerson } from './person.js'

const MAX_NAMES = 1_000
/** Names change seldom. */
const STALE_MILLIS = 300_000

interface Named {
  readonly id: string
  readonly name: string
}

/** The teams that the caller can see, by name. */
export function useTeams(): readonly Named[] {
  const { teams } = useCaller()
  const why = useWhyNot(TeamService.method.listTeams)
  const { data } = useQuery(
    TeamService.method.listTeams,
    { pageSize: MAX_NAMES },
    { enabled: why === undefined, staleTime: STALE_MILLIS },
  )
  return data?.data ?? teams.map(({ teamId: id, name }) => ({ id, name }))
}

/** The text for a team's id: its name where the caller can see it. */
export function useTeamName(): (id: string) => string {
  const teams = useTeams()
  return (id) => teams.find((team) => team.id === id)?.name ?? id
}

/** The groups that the caller can see, by name. */
export function useGroups(): readonly Named[] {
  const why = useWhyNot(GroupService.method.listGroups, { isOfOrganization: true })
  const { data } = useQuery(
    GroupService.method.listGroups,
    { pageSize: MAX_NAMES },
    { enabled: why === undefined, staleTime: STALE_MILLIS },
  )
  return data?.data ?? []
}

/** The text for a group's id: its name where the caller can see it. */
export function useGroupName(): (id: string) => string {
  const groups = useGroups()
  return (id) => groups.find((group) => group.id === id)?.name ?? id
}

/** A link to a person by name; where there is no such person, the id. */
export function PersonLink({ id }: { readonly id: string }) {
  const person = usePerson(id)
  if (id === '') return <>–</>
  if (person === undefined) return <>…</>
  return (
    <Link to="/people/$id" params={{ id }}>
      {person?.name || person?.email || id}
    </Link>
  )
}

/** The text for a person's id. */
export function usePersonName(id: string): string {
  const person = usePerson(id)
  return person?.name || person?.email || (person === undefined ? '…' : id)
}
