import { Link, useParams } from '@tanstack/react-router'
import { Fragment } from 'react'
import { ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { FieldOwner, type User, UserProfileField, UserRoleSchema, UserService } from '../../../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../../../gen/svc/v2/user_relationship_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { useTagged } from '../../api/tagged.js'
import { enumText } from '../../api/words.js'
import { usePagesOfAddress } from '../../ui/address.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { Answered, Empty, FailureBox, Loading } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { AuditTimeline } from '../audit/audit-timeline.js'
import { JourneysOf } from '../journeys/journeys-of.js'
import { Memberships } from './memberships.js'
import styles from './person.module.css'
import { usePersonAction } from './person-action.js'
import { profileFacts } from './profile-facts.js'
import { ProfileTable } from './profile-table.js'

/** A person: who owns each field since when, what was skipped and why, and what has happened to them. */
export function PersonScreen() {
  const id: string = useParams({ strict: false, select: ({ id = '' }: { id?: string }) => id })
  const person = useTagged(UserService.method.getUser, { id })
  const user = person.data?.message.data
  if (person.error && user === undefined) {
    return (
      <Screen title="Person" above={<Link to="/people">People</Link>}>
        <FailureBox error={person.error} onRetry={() => void person.refetch()} />
      </Screen>
    )
  }
  if (user === undefined || person.data === undefined) return <Loading />
  return <Person key={user.id} user={user} person={{ tagged: person.data, read: person.read }} />
}

interface PersonProps {
  readonly user: User
  readonly person: Parameters<typeof usePersonAction>[1]
}

const HISTORY_PAGE = 200

function Person({ user, person }: PersonProps) {
  const whyNoHistory = useWhyNot(AuditLogService.method.listAuditEvents)
  const request = { targetId: user.id, pageSize: HISTORY_PAGE }
  const history = usePages(AuditLogService.method.listAuditEvents, request, whyNoHistory === undefined)
  const showMore = usePagesOfAddress(history)
  const why = useWhyNot(UserService.method.updateUser, { userId: user.id })
  const whyNoDeactivation = useWhyNot(UserService.method.deactivateUser)
  const whyNotAddress = useWhyNot(UserService.method.updateUser)
  const noRelationship = useWhyNot(UserRelationshipService.method.createUserRelationship)
  const facts = profileFacts(user, history.rows)
  const action = usePersonAction(user, person, facts)
  const isActive = user.deactivatedAt === undefined
  const isManagerSupplied = facts.some(
    ({ field, owner }) => field === UserProfileField.MANAGER && owner === FieldOwner.DIRECTORY,
  )
  const whyNotManager =
    noRelationship ?? (isManagerSupplied ? 'The directory supplies the manager: change it there.' : undefined)
  const isSupplied = facts.some(({ owner }) => owner === FieldOwner.DIRECTORY)
  return (
    <Screen
      title={user.name || user.email}
      id={user.id}
      above={<Link to="/people">People</Link>}
      meta={
        <>
          {isActive ? <Badge tone="good">Active</Badge> : <Deactivated at={user.deactivatedAt} />}
          <span>{[user.jobTitle, user.department].filter(Boolean).join(', ')}</span>
          {isSupplied && <Badge tone="accent">From the directory</Badge>}
        </>
      }
      actions={
        <Toolbar>
          <Button onClick={action.end} why={whyNoDeactivation}>
            End sessions
          </Button>
          {isActive ? (
            <Button look="danger" onClick={action.deactivate} why={whyNoDeactivation}>
              Deactivate
            </Button>
          ) : (
            <Button onClick={action.reactivate} why={whyNoDeactivation}>
              Reactivate
            </Button>
          )}
          <Button look="main" onClick={action.edit} why={why}>
            Edit
          </Button>
        </Toolbar>
      }
    >
      {action.notice && <p className={styles['notice']}>{action.notice}</p>}
      <Panel title="About">
        <Facts
          facts={{
            Email: (
              <>
                {user.email}{' '}
                <Button look="quiet" label="Change the email" onClick={action.address} why={whyNotAddress}>
                  Change
                </Button>
              </>
            ),
            Role: enumText(UserRoleSchema, user.role),
            Added: <When at={user.createdAt} exact />,
            Manager: (
              <>
                <PersonLink id={user.managerUserId} />{' '}
                <Button look="quiet" label="Change the manager" onClick={action.manager} why={whyNotManager}>
                  Change
                </Button>
              </>
            ),
            Reports: (
              <Link to="/people" search={{ manager: user.id } as never}>
                Who reports to this person
              </Link>
            ),
            'API keys created': <KeysOf userId={user.id} />,
          }}
        />
      </Panel>
      <Panel title="Profile">
        <ProfileTable
          facts={facts}
          knowsHistory={whyNoHistory === undefined}
          why={why}
          onPin={action.pin}
          onRelease={action.release}
        />
      </Panel>
      <Memberships user={user} />
      <JourneysOf userId={user.id} title="Journeys" />
      <Deeds id={user.id} />
      <Panel title="What happened to this person">
        {!history.isSuccess && (
          <Answered why={whyNoHistory} asked={[history]} lines={4}>
            {null}
          </Answered>
        )}
        {history.isSuccess && history.rows.length === 0 && (
          <Empty title="Nothing has been recorded yet">Every write of this person will stand here.</Empty>
        )}
        <AuditTimeline events={history.rows} />
        {history.hasNextPage && <Button onClick={showMore}>Show earlier events</Button>}
      </Panel>
      {action.dialog}
    </Screen>
  )
}

/** What somebody did last, with the way to the rest. */
function Deeds({ id }: { readonly id: string }) {
  const { listAuditEvents } = AuditLogService.method
  const why = useWhyNot(listAuditEvents)
  const deeds = usePages(listAuditEvents, { actorId: id, pageSize: 5 }, why === undefined)
  const all = (
    <Link to="/audit" search={{ actor: id } as never}>
      All that this person did
    </Link>
  )
  return (
    <Panel title="What this person did" actions={all}>
      <Answered why={why} asked={[deeds]}>
        {deeds.rows.length === 0 && <p>Nothing is in the audit log.</p>}
        <AuditTimeline events={deeds.rows} />
      </Answered>
    </Panel>
  )
}

/** The last keys that somebody has created, with a way to all of them. */
function KeysOf({ userId }: { readonly userId: string }) {
  const { listApiKeys } = ApiKeyService.method
  const why = useWhyNot(listApiKeys)
  const keys = usePages(listApiKeys, { createdByUserId: userId, pageSize: 3 }, why === undefined)
  if (why) return <>{why}</>
  if (!keys.isSuccess) return <>{keys.error ? 'They cannot be read' : '…'}</>
  if (keys.rows.length === 0) return <>None</>
  return (
    <>
      {keys.rows.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link to={`/keys/${encodeURIComponent(id)}`}>{name || id}</Link>
        </Fragment>
      ))}
      {keys.hasNextPage && (
        <>
          {' '}
          <Link to="/keys" search={{ maker: userId } as never}>
            and more
          </Link>
        </>
      )}
    </>
  )
}

function Deactivated({ at }: { readonly at: string | undefined }) {
  return (
    <>
      <Badge tone="warn">Deactivated</Badge> <When at={at} exact />
    </>
  )
}
