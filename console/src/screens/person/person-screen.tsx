import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { FieldOwner, UserRoleSchema, UserService } from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { PersonLink } from '../../api/things.js'
import { enumText } from '../../api/words.js'
import { listAt, usePagesOfAddress } from '../../ui/address.js'
import { Badge, Button } from '../../ui/button.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { Answered, Empty } from '../../ui/states.js'
import { ThingScreen } from '../../ui/thing-screen.js'
import { When } from '../../ui/when.js'
import { AuditTimeline } from '../audit/audit-timeline.js'
import { JourneysOf } from '../journeys/journeys-screen.js'
import { Memberships } from './memberships.js'
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

const HISTORY_PAGE = 200

function Person({ user, subject, above }: Omit<PersonProps, 'facts'> & { readonly above: ReactNode }) {
  const history = usePages(AuditLogService.method.listAuditEvents, { targetId: user.id, pageSize: HISTORY_PAGE })
  const showMore = usePagesOfAddress(history)
  const facts = profileFacts(user, history.rows)
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
            'API keys created': <KeysOf userId={user.id} />,
          }}
        />
      </Panel>
      <Panel title="Profile">
        <ProfileTable {...person} knowsHistory={history.why === undefined} />
      </Panel>
      <Memberships user={user} />
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
  const { listAuditEvents } = AuditLogService.method
  const deeds = usePages(listAuditEvents, { actorId: id, pageSize: 5 })
  const all = <Link {...listAt('/audit', { actor: id })}>All that this person did</Link>
  return (
    <Panel title="What this person did" actions={deeds.why === undefined && all} asked={[deeds]}>
      {deeds.rows.length === 0 && <p>Nothing is in the audit log.</p>}
      <AuditTimeline events={deeds.rows} />
    </Panel>
  )
}

/** The last keys that somebody has created, with a way to all of them. */
function KeysOf({ userId }: { readonly userId: string }) {
  const { listApiKeys } = ApiKeyService.method
  const keys = usePages(listApiKeys, { createdByUserId: userId, pageSize: 3 })
  return (
    <Answered asked={[keys]} lines={1}>
      {keys.rows.length === 0 && 'None'}
      {keys.rows.map((key, index) => (
        <Fragment key={key.id}>
          {index > 0 && ', '}
          <Link to={`/keys/${encodeURIComponent(key.id)}`}>{nameOf(key)}</Link>
        </Fragment>
      ))}
      {keys.hasNextPage && ' '}
      {keys.hasNextPage && <Link {...listAt('/keys', { maker: userId })}>and more</Link>}
    </Answered>
  )
}
