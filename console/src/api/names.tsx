import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { GroupService } from '../../../gen/svc/v2/group_pb.js'
import { TeamService } from '../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { useCaller, useWhyNot } from './caller-context.js'

const MAX_NAMES = 1_000
/** Names change seldom. */
const STALE_MILLIS = 300_000

/** The teams that the caller can see, by name. */
export function useTeams(): readonly { readonly id: string; readonly name: string }[] {
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
export function useGroups(): readonly { readonly id: string; readonly name: string }[] {
  const why = useWhyNot(GroupService.method.listGroups)
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

/** A link to a person by name, or by id as long as the name is not known. */
export function PersonLink({ id }: { readonly id: string }) {
  const why = useWhyNot(UserService.method.getUser, { userId: id })
  const { data } = useQuery(
    UserService.method.getUser,
    { id },
    { enabled: why === undefined && id !== '', staleTime: STALE_MILLIS },
  )
  if (id === '') return <>–</>
  return (
    <Link to="/people/$id" params={{ id }}>
      {data?.data?.name || data?.data?.email || id}
    </Link>
  )
}
