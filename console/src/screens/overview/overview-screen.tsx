import type { DescMessage, DescMethodUnary } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiKeyService, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { DirectoryService } from '../../../../gen/svc/v2/directory_pb.js'
import { GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { OrganizationService } from '../../../../gen/svc/v2/organization_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages, useTotal } from '../../api/pages.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { FailureBox, NoRight, Skeleton } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { isLeftBehind, isUnused } from '../keys/key-facts.js'
import { EndingRoles } from './ending-roles.js'
import { FailingEndpoints } from './failing-endpoints.js'
import styles from './overview.module.css'

const SOON_DAYS = 30
const SOON_MILLIS = SOON_DAYS * 86_400_000
const PAGE_SIZE = 1_000

/** What there is, and what needs attention. */
export function OverviewScreen() {
  const { data } = useQuery(OrganizationService.method.getOrganization)
  return (
    <Screen title="Overview" lead={data?.data && `${data.data.name} (${data.data.id})`}>
      <ul className={styles['counts']}>
        <Count title="People" path="/people" method={UserService.method.listUsers} />
        <Count title="Teams" path="/teams" method={TeamService.method.listTeams} />
        <Count title="Groups" path="/groups" method={GroupService.method.listGroups} />
        <Count
          title="Journeys"
          path="/journeys"
          method={JourneyService.method.listJourneys}
          input={{ isArchived: false }}
        />
        <Count title="Keys" path="/keys" method={ApiKeyService.method.listApiKeys} />
      </ul>
      <Panel title="Needs attention">
        <ul className={styles['matters']}>
          <LateJourneys />
          <Keys />
          <FailingEndpoints />
          <EndingRoles days={SOON_DAYS} />
        </ul>
      </Panel>
      <Directory />
    </Screen>
  )
}

interface CountProps<I extends DescMessage, O extends DescMessage> {
  readonly title: string
  readonly path: string
  readonly method: DescMethodUnary<I, O>
  readonly input?: object
}

function Count<I extends DescMessage, O extends DescMessage>({ title, path, method, input }: CountProps<I, O>) {
  const why = useWhyNot(method)
  const total = useTotal(method as DescMethodUnary, { ...input } as Record<string, never>, why === undefined)
  return (
    <li className={styles['count']}>
      <Link to={path}>{title}</Link>
      <strong>{why ? '–' : (total?.toLocaleString('en-GB') ?? '…')}</strong>
    </li>
  )
}

/** Something to look at, with a way to it; nothing where the count is 0. */
function Matter({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  return count === 0 ? null : <li>{children}</li>
}

function LateJourneys() {
  const { listJourneys } = JourneyService.method
  const why = useWhyNot(listJourneys)
  const late = useTotal(listJourneys, { isArchived: false, isOverdue: true }, why === undefined) ?? 0
  const failing = useTotal(listJourneys, { isArchived: false, isFailing: true }, why === undefined) ?? 0
  return (
    <>
      <Matter count={late}>
        <Link to="/journeys" search={{ state: 'overdue' } as never}>
          {late === 1 ? '1 journey is late' : `${late} journeys are late`}
        </Link>
      </Matter>
      <Matter count={failing}>
        <Link to="/journeys" search={{ state: 'failing' } as never}>
          {failing === 1 ? '1 journey has a failing check' : `${failing} journeys have failing checks`}
        </Link>
      </Matter>
    </>
  )
}

function Keys() {
  const why = useWhyNot(ApiKeyService.method.listApiKeys)
  const { rows } = usePages(ApiKeyService.method.listApiKeys, { pageSize: PAGE_SIZE }, why === undefined)
  const now = Date.now()
  const unused = rows.filter((key) => isUnused(key, now)).length
  const leftBehind = rows.filter(isLeftBehind).length
  const ending = rows.filter(
    ({ status, expiresAt }) => status === ApiKeyStatus.ACTIVE && expiresAt && Date.parse(expiresAt) - now < SOON_MILLIS,
  )
  return (
    <>
      <Matter count={unused}>
        <Link to="/keys" search={{ use: 'unused' } as never}>
          {unused === 1 ? '1 key has' : `${unused} keys have`} not been used for 30 days
        </Link>
      </Matter>
      <Matter count={leftBehind}>
        <Link to="/keys" search={{ left: 'yes' } as never}>
          {leftBehind === 1 ? '1 key works' : `${leftBehind} keys work`} on whose creator is deactivated
        </Link>
      </Matter>
      {ending.map((key) => (
        <li key={key.id}>
          <Link to="/keys/$id" params={{ id: key.id }}>
            The key {key.name || key.id}
          </Link>{' '}
          ends <When at={key.expiresAt} />
        </li>
      ))}
    </>
  )
}

function Directory() {
  const why = useWhyNot(DirectoryService.method.getDirectoryStatus)
  const { data, error, refetch } = useQuery(
    DirectoryService.method.getDirectoryStatus,
    {},
    { enabled: why === undefined },
  )
  const status = data?.data
  if (why) return <NoRight why={why} />
  return (
    <Panel title="Directory" actions={<Link to="/directory">Connections and refusals</Link>}>
      {error && <FailureBox error={error} onRetry={() => void refetch()} />}
      {status ? (
        <Facts
          facts={{
            Connections: String(status.connections.length),
            'Last write': status.lastWriteAt ? <When at={status.lastWriteAt} exact /> : 'Never',
            'People supplied': String(status.users?.supplied ?? 0),
            'Latest refusals': String(status.refusals.length),
          }}
        />
      ) : (
        !error && <Skeleton lines={3} />
      )}
    </Panel>
  )
}
