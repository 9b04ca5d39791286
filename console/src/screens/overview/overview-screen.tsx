import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiKeyService, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../../gen/svc/v2/user_pb.js'
import { WebhookEndpointService, WebhookEndpointStatus } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { usePages, useTotal } from '../../api/pages.js'
import { isOverseer } from '../../api/rights.js'
import { countText, numberText } from '../../api/words.js'
import { listAt } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { Panel, Screen } from '../../ui/screen.js'
import type { Asked } from '../../ui/states.js'
import { dayOf, dayStart, dayText } from '../../ui/when.js'
import { isOfAge, keyAges } from '../keys/key-facts.js'
import { Attention } from './attention.js'
import { HomeScreen } from './home-screen.js'
import styles from './overview.module.css'

/** The first screen: of the organization for those who look after it, of their own work for others. */
export function OverviewScreen() {
  return isOverseer(useCaller()) ? <Overview /> : <HomeScreen />
}

/** What there is, and what needs attention. */
function Overview() {
  const people = useTotal(UserService.method.listUsers, {})
  const teams = useTotal(TeamService.method.listTeams, {})
  const journeys = useTotal(JourneyService.method.listJourneys, { isArchived: false })
  const keys = usePages(ApiKeyService.method.listApiKeys, {})
  return (
    <Screen title="Overview">
      <ul className={styles['counts']}>
        <Count title="People" path="/people" query={people} />
        <Count title="Teams" path="/teams" query={teams} />
        <Count title="Journeys under way" path="/journeys" query={journeys} />
        <Count
          title="API keys"
          path="/keys"
          query={{ ...keys, data: keys.isSuccess ? keys.rows.length : undefined }}
          isLeast={keys.hasNextPage}
        />
      </ul>
      <Attention />
      <div className={styles['pair']}>
        <ChangesADay />
        <JourneysByState />
        <KeysByAge />
        <Webhooks />
      </div>
    </Screen>
  )
}

interface CountProps {
  readonly title: string
  readonly path: string
  readonly query: Asked & { readonly data: number | undefined }
  /** There are more. */
  readonly isLeast?: boolean
}

/** How many there are, with a way to them; why not, until then or if it cannot be known. */
function Count({ title, path, query: { why, data, error, refetch }, isLeast = false }: CountProps) {
  const text = (): ReactNode => {
    if (why !== undefined) return <span title={why}>No access</span>
    if (error) return null
    if (data !== undefined) return `${numberText(data)}${isLeast ? '+' : ''}`
    return (
      <span role="status" aria-label="Loading">
        …
      </span>
    )
  }
  return (
    <li className={styles['count']}>
      <Link to={path}>{title}</Link>
      <strong>{text()}</strong>
      {Boolean(error) && (
        <Button look="quiet" label={`Try again to count: ${title}`} onClick={() => void refetch()}>
          Could not be counted. Try again
        </Button>
      )}
    </li>
  )
}

const DAYS = 14
const DAY_MILLIS = 86_400_000
const [WIDTH, HEIGHT, GAP] = [420, 80, 6]

/** How many changes there were on each of the last days, with a way to each day. */
export function ChangesADay() {
  const { listAuditEvents } = AuditLogService.method
  const today = dayOf(Date.now())
  const since = dayStart(today, 1 - DAYS) ?? ''
  const events = usePages(listAuditEvents, { since })
  // A day of which only a part was read says nothing.
  const partly = events.hasNextPage ? dayOf(events.rows.at(-1)?.occurredAt ?? '') : ''
  const all = Array.from({ length: DAYS }, (_, index) => dayOf(Date.now() - (DAYS - 1 - index) * DAY_MILLIS))
  const days = all.filter((day) => day > partly || day === today)
  const counts = new Map<string, number>()
  for (const { occurredAt } of events.rows) {
    const day = dayOf(occurredAt)
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  const most = Math.max(1, ...counts.values())
  const width = WIDTH / days.length
  return (
    <Panel title="Changes per day" actions={<Link to="/audit">Audit log</Link>} asked={[events]}>
      <div className={styles['plot']}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <title>Changes per day</title>
          {days.map((day, index) => {
            const height = Math.max(1, ((counts.get(day) ?? 0) / most) * HEIGHT)
            const count = counts.get(day) ?? 0
            const text = `${dayText(day)}: ${countText(count, 'change')}`
            return (
              <Link key={day} to="/audit" search={{ since: day, until: day } as never} aria-label={text}>
                <title>{text}</title>
                <rect
                  className={styles['bar']}
                  x={index * width + GAP / 2}
                  y={HEIGHT - height}
                  width={width - GAP}
                  height={height}
                  rx="2"
                />
              </Link>
            )
          })}
        </svg>
        <p>
          <span>{dayText(days[0] ?? today)}</span>
          <span>
            Today: {events.hasNextPage && days.length === 1 ? 'more than ' : ''}
            {numberText(counts.get(today) ?? 0)}
          </span>
        </p>
      </div>
    </Panel>
  )
}

/** How many journeys run as they should, are late, or fail. */
export function JourneysByState() {
  const { listJourneys } = JourneyService.method
  const underWay = useTotal(listJourneys, { isArchived: false })
  const late = useTotal(listJourneys, { isArchived: false, isOverdue: true })
  const failing = useTotal(listJourneys, { isArchived: false, isFailing: true })
  const [all = 0, overdue = 0, failed = 0] = [underWay.data, late.data, failing.data]
  return (
    <Panel title="Journeys under way" actions={<Link to="/journeys">Journeys</Link>} asked={[underWay, late, failing]}>
      <Split
        parts={[
          { text: 'On time', count: Math.max(0, all - overdue), search: { state: 'punctual' } },
          { text: 'Late', count: overdue, search: { state: 'overdue' } },
        ]}
        to="/journeys"
      />
      <p>
        <Link {...listAt('/journeys', { state: 'failing' })}>With a failing check</Link> {numberText(failed)}
      </p>
    </Panel>
  )
}

/** How old the keys that work are. */
export function KeysByAge() {
  const keys = usePages(ApiKeyService.method.listApiKeys, {})
  const active = keys.rows.filter(({ status }) => status === ApiKeyStatus.ACTIVE)
  return (
    <Panel title="API keys by age" actions={<Link to="/keys">API keys</Link>} asked={[keys]}>
      <Split
        parts={keyAges.map((age) => ({
          text: age.text,
          count: active.filter((key) => isOfAge(key, age, Date.now())).length,
          search: { status: String(ApiKeyStatus.ACTIVE), age: age.value },
        }))}
        to="/keys"
      />
    </Panel>
  )
}

/** How many webhooks accept what they are sent, fail, or are disabled. */
export function Webhooks() {
  const { listWebhookEndpoints } = WebhookEndpointService.method
  const pages = usePages(listWebhookEndpoints, {})
  const enabled = pages.rows.filter(({ status }) => status === WebhookEndpointStatus.ENABLED)
  const failing = enabled.filter(({ failingSince }) => failingSince !== undefined).length
  return (
    <Panel title="Webhooks by state" actions={<Link to="/webhooks">Webhooks</Link>} asked={[pages]}>
      <Split
        parts={[
          { text: 'Working', count: enabled.length - failing },
          { text: 'Failing', count: failing },
          { text: 'Disabled', count: pages.rows.length - enabled.length },
        ]}
        to="/webhooks"
      />
    </Panel>
  )
}

interface SplitProps {
  readonly parts: readonly {
    readonly text: string
    readonly count: number
    readonly search?: Readonly<Record<string, string>>
  }[]
  readonly to: string
}

/** Parts of a whole as a bar, with a way to each. */
function Split({ parts, to }: SplitProps) {
  const numbered = parts.map((part, index) => ({ ...part, tone: styles[`tone${index}`] ?? '' }))
  return (
    <>
      <div className={styles['split']} aria-hidden="true">
        {numbered
          .filter(({ count }) => count > 0)
          .map(({ text, count, tone }) => (
            <div key={text} className={tone} ref={(part) => part?.style.setProperty('flex', `${count} 0 0`)} />
          ))}
      </div>
      <ul className={styles['legend']}>
        {numbered.map(({ text, count, tone, search = {} }) => (
          <li key={text}>
            <span className={tone} aria-hidden="true" />
            <Link {...listAt(to, search)}>{text}</Link> {numberText(count)}
          </li>
        ))}
      </ul>
    </>
  )
}
