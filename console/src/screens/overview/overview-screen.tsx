import { Link } from '@tanstack/react-router'
import { ApiKeyService, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { UserService } from '../../../../gen/svc/v2/user_pb.js'
import {
  WebhookDeliveryStatus,
  type WebhookEndpoint,
  WebhookEndpointService,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { usePages, useTotal } from '../../api/pages.js'
import { isOverseer } from '../../api/rights.js'
import { countText, numberText } from '../../api/words.js'
import { listAt, type Search } from '../../ui/address.js'
import { Panel, Screen } from '../../ui/screen.js'
import { Answered } from '../../ui/states.js'
import { dayOf, dayStart, dayText } from '../../ui/when.js'
import { isOfAge, keyAges } from '../keys/key-facts.js'
import { Attention } from './attention.js'
import { HomeScreen } from './home-screen.js'
import styles from './overview.module.css'

/** The first screen: of the organization for those who look after it, of their own work for others. */
export function OverviewScreen() {
  return isOverseer(useCaller()) ? <Overview /> : <HomeScreen />
}

/** What needs attention, and shapes of what there is, each with how many there are and the way to them. */
function Overview() {
  const people = useTotal(UserService.method.listUsers, {})
  return (
    <Screen
      title="Overview"
      meta={
        <Answered asked={[people]} lines={1}>
          <Link to="/people">{countText(people.data ?? 0, 'person', 'people')}</Link>
        </Answered>
      }
    >
      <Attention />
      <div className={styles['pair']}>
        <ChangesADay />
        <JourneysByState />
        <KeysByAge />
        <Deliveries />
      </div>
    </Screen>
  )
}

const DAYS = 14

/** How many changes there were on each of the last days, with a way to each day. */
function ChangesADay() {
  const today = dayOf(Date.now())
  const events = usePages(AuditLogService.method.listAuditEvents, { since: dayStart(today, 1 - DAYS) ?? '' })
  // A day of which only a part was read says nothing.
  const partly = events.hasNextPage ? dayOf(events.rows.at(-1)?.occurredAt ?? '') : ''
  const all = Array.from({ length: DAYS }, (_, index) => dayOf(Date.now() - (DAYS - 1 - index) * 86_400_000))
  const days = all.filter((day) => day > partly || day === today)
  const made = Map.groupBy(events.rows, ({ occurredAt }) => dayOf(occurredAt))
  const countOn = (day: string) => made.get(day)?.length ?? 0
  const most = Math.max(1, ...days.map(countOn))
  return (
    <Panel title="Changes per day" actions={<Link to="/audit">Audit log</Link>} asked={[events]}>
      <div className={styles['plot']}>
        {days.map((day) => {
          const text = `${dayText(day)}: ${countText(countOn(day), 'change')}`
          const draw = (bar: HTMLElement | null) => bar?.style.setProperty('height', `${(countOn(day) / most) * 100}%`)
          return (
            <Link key={day} {...listAt('/audit', { since: day, until: day })} aria-label={text} title={text}>
              <span ref={draw} />
            </Link>
          )
        })}
      </div>
      <p className={styles['ends']}>
        <span>{dayText(days[0] ?? today)}</span>
        <span>
          Today: {events.hasNextPage && days.length === 1 ? 'more than ' : ''}
          {numberText(countOn(today))}
        </span>
      </p>
    </Panel>
  )
}

/** How many journeys run as they should, are late, or fail. */
function JourneysByState() {
  const { listJourneys } = JourneyService.method
  const underWay = useTotal(listJourneys, { isArchived: false })
  const late = useTotal(listJourneys, { isArchived: false, isOverdue: true })
  const failing = useTotal(listJourneys, { isArchived: false, isFailing: true })
  const [all = 0, overdue = 0] = [underWay.data, late.data]
  return (
    <Panel title="Journeys under way" actions={<Link to="/journeys">Journeys</Link>} asked={[underWay, late, failing]}>
      <Split
        to="/journeys"
        parts={[
          ['On time', 'main', Math.max(0, all - overdue), { state: 'punctual' }],
          ['Late', 'warn', overdue, { state: 'overdue' }],
        ]}
      />
      <p>
        <Link {...listAt('/journeys', { state: 'failing' })}>With a failing check</Link> {numberText(failing.data ?? 0)}
      </p>
    </Panel>
  )
}

/** How old the keys that work are. */
function KeysByAge() {
  const keys = usePages(ApiKeyService.method.listApiKeys, {})
  const countOf = (age: (typeof keyAges)[number]) =>
    keys.rows.filter((key) => key.status === ApiKeyStatus.ACTIVE && isOfAge(key, age, Date.now())).length
  return (
    <Panel title="API keys by age" actions={<Link to="/keys">API keys</Link>} asked={[keys]}>
      <Split
        to="/keys"
        parts={keyAges.map((age) => {
          return [age.text, age.tone, countOf(age), { status: String(ApiKeyStatus.ACTIVE), age: age.value }] as const
        })}
      />
      {keys.hasNextPage && <p>Of the first {numberText(keys.rows.length)} keys.</p>}
    </Panel>
  )
}

/** What became of the last events for the webhook that fails longest: of each other one, it would take a call more. */
function Deliveries() {
  const { listWebhookEndpoints, listWebhookDeliveries } = WebhookEndpointService.method
  const webhooks = usePages(listWebhookEndpoints, {})
  const since = ({ failingSince }: WebhookEndpoint) => Date.parse(failingSince ?? '') || Number.POSITIVE_INFINITY
  const { id = '', url } = webhooks.rows.toSorted((a, b) => (since(a) < since(b) ? -1 : 1))[0] ?? {}
  const last = usePages(listWebhookDeliveries, { webhookEndpointId: id, pageSize: 100 }, { isWanted: id !== '' })
  const path = `/webhooks/${encodeURIComponent(id)}`
  return (
    <Panel title="Deliveries" actions={<Link to="/webhooks">Webhooks</Link>} asked={[webhooks]}>
      {url === undefined ? (
        <p>There is no webhook: nothing is sent.</p>
      ) : (
        <Answered asked={[last]}>
          <Split
            to={path}
            parts={outcomes.map(([text, tone, status]) => {
              const count = last.rows.filter((each) => each.status === status).length
              return [text, tone, count, { delivery: String(status) }] as const
            })}
          />
          <p className={styles['ends']}>
            {last.hasNextPage ? 'The last 100 events' : 'All events'} for {url}
          </p>
        </Answered>
      )}
    </Panel>
  )
}

const outcomes = [
  ['Accepted', 'main', WebhookDeliveryStatus.SUCCEEDED],
  ['Waiting', 'warn', WebhookDeliveryStatus.PENDING],
  ['Failed', 'bad', WebhookDeliveryStatus.FAILED],
] as const

interface SplitProps {
  readonly to: string
  readonly parts: readonly (readonly [text: string, tone: string, count: number, search: Search])[]
}

/** Parts of a whole as a bar, with a way to each. */
function Split({ to, parts }: SplitProps) {
  return (
    <>
      <div className={styles['split']} aria-hidden="true">
        {parts.map(([text, tone, count]) => (
          <div key={text} className={styles[tone]} ref={(part) => part?.style.setProperty('flex', `${count} 0 0`)} />
        ))}
      </div>
      <ul className={styles['legend']}>
        {parts.map(([text, tone, count, search]) => (
          <li key={text}>
            <span className={styles[tone]} aria-hidden="true" />
            <Link {...listAt(to, search)}>{text}</Link> {numberText(count)}
          </li>
        ))}
      </ul>
    </>
  )
}
