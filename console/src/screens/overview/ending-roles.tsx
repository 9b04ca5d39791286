import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { When } from '../../ui/when.js'
import styles from './overview.module.css'

interface EndingRolesProps {
  /** How soon a role ends that is shown, in milliseconds. */
  readonly within: number
  readonly teams: readonly { readonly id: string; readonly name: string }[]
}

const PAGE_SIZE = 1_000
/** Each team is a call. */
const MAX_TEAMS = 20

/** The roles in the first teams that end soon. */
export function EndingRoles({ within, teams }: EndingRolesProps) {
  const transport = useTransport()
  const why = useWhyNot(TeamService.method.listTeamMembers)
  const asked = why === undefined ? teams.slice(0, MAX_TEAMS) : []
  const answers = useQueries({
    queries: asked.map(({ id }) =>
      createQueryOptions(TeamService.method.listTeamMembers, { teamId: id, pageSize: PAGE_SIZE }, { transport }),
    ),
  })
  const now = Date.now()
  const ending = answers.flatMap(({ data }) =>
    (data?.data ?? []).filter(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) - now < within),
  )
  return (
    <>
      {ending.map(({ teamId, userId, expiresAt }) => (
        <li key={`${teamId} ${userId}`}>
          The role of <PersonLink id={userId} /> in{' '}
          <Link to={`/teams/${encodeURIComponent(teamId)}`}>
            {teams.find(({ id }) => id === teamId)?.name ?? teamId}
          </Link>{' '}
          ends <When at={expiresAt} />
        </li>
      ))}
      {asked.length < teams.length && asked.length > 0 && (
        <li className={styles['note']}>
          Roles that end are looked for in the first {asked.length} teams. Each <Link to="/teams">team</Link> shows its
          own.
        </li>
      )}
    </>
  )
}
