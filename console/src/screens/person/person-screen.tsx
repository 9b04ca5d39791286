import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { type TeamMember, TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { FieldOwner, TeamUserRoleSchema, UserRoleSchema, UserService } from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { PersonLink, ThingLink } from '../../api/things.js'
import { enumText } from '../../api/words.js'
import { listAt, usePagesOfAddress } from '../../ui/address.js'
import { Badge, Button } from '../../ui/button.js'
import { LinkList } from '../../ui/link-list.js'
import type { Column } from '../../ui/paged-table.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { Empty } from '../../ui/states.js'
import { ThingScreen } from '../../ui/thing-screen.js'
import { When } from '../../ui/when.js'
import { AuditTimeline } from '../audit/audit-timeline.js'
import { JourneysOf } from '../journeys/journeys-screen.js'
import { GiveRole, RoleEnd } from '../resource/team-members.js'
import { EditButton, ManagerButton, PersonActions, type PersonProps } from './person-actions.js'
import { profileFacts } from './profile-facts.js'
import { ProfileTable } from './profile-table.js'

/** A person: who owns each field since when, what was skipped and why, and what has happened to them. */
export function PersonScreen() {
  return (
    <ThingScreen method={UserService.method.getUser} one="person" path="people" title="People">
      {({ data }, subject, above) => data && <Person user={data} subject={subject} above={above} />}
    </ThingScreen>
  )
}

function Person({ user, subject, above }: Omit<PersonProps, 'facts'> & { readonly above: ReactNode }) {
  const history = usePages(AuditLogService.method.listAuditEvents, { targetId: user.id, pageSize: 200 })
  const showMore = usePagesOfAddress(history)
  const facts = profileFacts(user, history.rows)
  const keys = usePages(ApiKeyService.method.listApiKeys, { createdByUserId: user.id, pageSize: 3 })
  const groups = usePages(GroupService.method.listUserGroups, { userId: user.id })
  const whyNotList = useWhyNot(UserService.method.listUsers)
  const person = { user, subject, facts }
  return (
    <Screen
      title={nameOf(user)}
      id={user.id}
      above={above}
      meta={
        <>
          <Badge tone={user.deactivatedAt ? 'warn' : 'good'}>{user.deactivatedAt ? 'Deactivated' : 'Active'}</Badge>
          {user.deactivatedAt && <When at={user.deactivatedAt} exact />}
          <span>{[user.jobTitle, user.department].filter(Boolean).join(', ')}</span>
          {facts.some(({ owner }) => owner === FieldOwner.DIRECTORY) && <Badge tone="accent">From the directory</Badge>}
        </>
      }
      actions={<PersonActions {...person} />}
    >
      <Panel title="About">
        <Facts
          facts={{
            Email: (
              <>
                {user.email} <EditButton {...person} only={['email']} label="Change the email" look="quiet" />
              </>
            ),
            Role: enumText(UserRoleSchema, user.role),
            Added: <When at={user.createdAt} exact />,
            Manager: (
              <>
                <PersonLink id={user.managerUserId} /> <ManagerButton {...person} />
              </>
            ),
            Reports: whyNotList ?? <Link {...listAt('/people', { manager: user.id })}>Who reports to this person</Link>,
            'API keys created': (
              <LinkList path="keys" list={keys} more={<Link {...listAt('/keys', { maker: user.id })}>and more</Link>} />
            ),
            Groups: <LinkList path="groups" list={groups} />,
          }}
        />
      </Panel>
      <Panel title="Profile">
        <ProfileTable {...person} knowsHistory={history.why === undefined} />
      </Panel>
      <Teams userId={user.id} />
      <JourneysOf userId={user.id} title="Journeys" />
      <Deeds id={user.id} />
      <Panel title="What happened to this person" asked={[history]} lines={4}>
        {history.rows.length === 0 && (
          <Empty title="Nothing has been recorded yet">Every change of this person will be listed here.</Empty>
        )}
        <AuditTimeline events={history.rows} />
        {history.hasNextPage && <Button onClick={showMore}>Show earlier events</Button>}
      </Panel>
    </Screen>
  )
}

/** What somebody did last, with the way to the rest. */
function Deeds({ id }: { readonly id: string }) {
  const deeds = usePages(AuditLogService.method.listAuditEvents, { actorId: id, pageSize: 5 })
  const all = <Link {...listAt('/audit', { actor: id })}>All that this person did</Link>
  return (
    <Panel title="What this person did" actions={deeds.why === undefined && all} asked={[deeds]}>
      {deeds.rows.length === 0 && <p>Nothing is in the audit log.</p>}
      <AuditTimeline events={deeds.rows} />
    </Panel>
  )
}

const teamColumns: readonly Column<TeamMember>[] = [
  { label: 'Team', cell: ({ teamId }) => <ThingLink kind="teams" id={teamId} /> },
  { label: 'Role', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
  { label: 'Ends', cell: ({ expiresAt }) => <RoleEnd at={expiresAt} /> },
]

/** The teams in which somebody has a role. */
function Teams({ userId }: { readonly userId: string }) {
  const [isAdding, setAdding] = useState(false)
  const teams = usePages(TeamService.method.listUserTeams, { userId })
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
          columns={teamColumns}
          rows={teams.rows}
          keyOf={({ teamId }) => teamId}
          empty={['In no team', 'A role in a team says what somebody may do there.']}
        />
      </Panel>
      {isAdding && <GiveRole userId={userId} onClose={() => setAdding(false)} />}
    </>
  )
}
