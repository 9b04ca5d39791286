import { Link } from '@tanstack/react-router'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink, useTeamName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { dayOf, dayStart } from '../../ui/days.js'
import { When } from '../../ui/when.js'

const PAGE_SIZE = 100

/** The roles that end within so many days, over all teams, the first end first. */
export function EndingRoles({ days }: { readonly days: number }) {
  const { listTeamMembers } = TeamService.method
  const why = useWhyNot(listTeamMembers)
  const teamName = useTeamName()
  // To the end of a day, so that the request stays the same all day.
  const end = dayStart(dayOf(Date.now()), days + 1) ?? ''
  const input = { teamId: '-', expiresBefore: end, pageSize: PAGE_SIZE }
  const pages = usePages(listTeamMembers, input, why === undefined)
  const showMore = usePagesOfAddress(pages)
  return (
    <>
      {pages.rows.map(({ teamId, userId, expiresAt }) => (
        <li key={`${teamId} ${userId}`}>
          The role of <PersonLink id={userId} /> in{' '}
          <Link to={`/teams/${encodeURIComponent(teamId)}`}>{teamName(teamId)}</Link> ends <When at={expiresAt} />
        </li>
      ))}
      {pages.hasNextPage && (
        <li>
          <Button look="quiet" onClick={showMore}>
            Show more roles that end
          </Button>
        </li>
      )}
    </>
  )
}
