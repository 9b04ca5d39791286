import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { type TeamMember, TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { TeamUserRoleSchema, type User } from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { ThingLink } from '../../api/things.js'
import { enumText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { When } from '../../ui/when.js'
import { GiveRole } from '../resource/team-members.js'

const columns: readonly Column<TeamMember>[] = [
  { label: 'Team', cell: ({ teamId }) => <ThingLink kind="teams" id={teamId} /> },
  { label: 'Role', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
  { label: 'Ends', cell: ({ expiresAt }) => <When at={expiresAt} none="Never" /> },
]

/** The teams in which somebody has a role, and the groups that they are in. */
export function Memberships({ user }: { readonly user: User }) {
  const [isAdding, setAdding] = useState(false)
  const request = { userId: user.id }
  const teams = usePages(TeamService.method.listUserTeams, request)
  const groups = usePages(GroupService.method.listUserGroups, request)
  const whyNotAdd = useWhyNot(TeamService.method.setTeamMember)
  return (
    <>
      <Panel
        title="Teams"
        actions={
          <Button onClick={() => setAdding(true)} why={whyNotAdd}>
            Add to a team
          </Button>
        }
        asked={[teams]}
      >
        <ShortTable
          label="Teams"
          columns={columns}
          rows={teams.rows}
          keyOf={({ teamId }) => teamId}
          empty={['In no team', 'A role in a team says what somebody may do there.']}
        />
      </Panel>
      {isAdding && <GiveRole userId={user.id} onClose={() => setAdding(false)} />}
      <Panel title="Groups" asked={[groups]} lines={1}>
        <p>
          {groups.rows.length === 0
            ? 'In no group.'
            : groups.rows.map(({ id, name }, index) => (
                <span key={id}>
                  {index > 0 && ', '}
                  <Link to={`/groups/${encodeURIComponent(id)}`}>{name}</Link>
                </span>
              ))}
        </p>
      </Panel>
    </>
  )
}
