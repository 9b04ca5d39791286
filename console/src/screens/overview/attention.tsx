import { Link } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/dist/esm/icons/triangle-alert.mjs'
import type { ReactNode } from 'react'
import { ApiKeyService, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { WebhookDisabledReason, WebhookEndpointService } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { usePages, useTotal } from '../../api/pages.js'
import { PersonLink } from '../../api/person.js'
import { ThingLink } from '../../api/things.js'
import { countText } from '../../api/words.js'
import { usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { dayOf, dayStart } from '../../ui/days.js'
import { Panel } from '../../ui/screen.js'
import { Answered, type Asked } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { isLeftBehind, isUnused } from '../keys/key-facts.js'
import styles from './overview.module.css'

const SOON_DAYS = 30
const SOON_MILLIS = SOON_DAYS * 86_400_000
const ROLES = 100

/** What needs attention. That nothing does is said only when everything has answered. */
export function Attention() {
  const parts = [useJourneyMatters(), useKeyMatters(), useEndpointMatters(), useRoleMatters()]
  const asked = parts.flatMap((part) => part.asked)
  const allowed = asked.filter(({ why }) => why === undefined)
  const matters = parts.flatMap((part) => part.matters)
  return (
    <Panel title="Needs attention">
      <Answered asked={allowed.length === 0 ? asked : allowed}>
        {matters.length === 0 ? (
          <p>Nothing needs attention{allowed.length < asked.length ? ', of what you can see' : ''}.</p>
        ) : (
          <ul className={styles['matters']}>
            {matters.map(({ key, text }) => (
              <li key={key}>
                <TriangleAlert size={15} aria-hidden />
                <span>{text}</span>
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </Panel>
  )
}

interface Part {
  readonly asked: readonly Asked[]
  readonly matters: readonly { readonly key: string; readonly text: ReactNode }[]
}

interface Counted {
  readonly count: number | undefined
  readonly one: string
  readonly many: string
  /** The list of those that are counted. */
  readonly to: string
  readonly search: Readonly<Record<string, string>>
}

/** One line, if there is any. */
function counted({ count, one, many, to, search }: Counted): Part['matters'] {
  if (!count) return []
  const text = (
    <Link to={to} search={search as never}>
      {countText(count, one, many)}
    </Link>
  )
  return [{ key: one, text }]
}

function useJourneyMatters(): Part {
  const { listJourneys } = JourneyService.method
  const late = useTotal(listJourneys, { isArchived: false, isOverdue: true })
  const failing = useTotal(listJourneys, { isArchived: false, isFailing: true })
  const to = '/journeys'
  return {
    asked: [late, failing],
    matters: [
      ...counted({
        count: late.data,
        one: 'journey is late',
        many: 'journeys are late',
        to,
        search: { state: 'overdue' },
      }),
      ...counted({
        count: failing.data,
        one: 'journey has a failing check',
        many: 'journeys have failing checks',
        to,
        search: { state: 'failing' },
      }),
    ],
  }
}

function useKeyMatters(): Part {
  const keys = usePages(ApiKeyService.method.listApiKeys, {})
  const now = Date.now()
  const ending = keys.rows.filter(
    ({ status, expiresAt }) => status === ApiKeyStatus.ACTIVE && expiresAt && Date.parse(expiresAt) - now < SOON_MILLIS,
  )
  return {
    asked: [keys],
    matters: [
      ...counted({
        count: keys.rows.filter((key) => isUnused(key, now)).length,
        one: 'API key has not been used for 30 days',
        many: 'API keys have not been used for 30 days',
        to: '/keys',
        search: { use: 'unused' },
      }),
      ...counted({
        count: keys.rows.filter(isLeftBehind).length,
        one: 'API key still works though its creator is deactivated',
        many: 'API keys still work though their creators are deactivated',
        to: '/keys',
        search: { left: 'yes' },
      }),
      ...ending.map((key) => ({
        key: key.id,
        text: (
          <>
            <Link to="/keys/$id" params={{ id: key.id }}>
              The API key {key.name || key.id}
            </Link>{' '}
            ends <When at={key.expiresAt} />
          </>
        ),
      })),
    ],
  }
}

/** The webhooks that accept nothing: those that fail, and those that the service has disabled for it. */
function useEndpointMatters(): Part {
  const { listWebhookEndpoints } = WebhookEndpointService.method
  const pages = usePages(listWebhookEndpoints, {})
  const matters = pages.rows.flatMap(({ id, url, failingSince, disabledReason = WebhookDisabledReason.REQUEST }) => {
    const isGivenUp = disabledReason !== WebhookDisabledReason.REQUEST
    if (failingSince === undefined && !isGivenUp) return []
    const text = (
      <>
        The webhook <Link to={`/webhooks/${encodeURIComponent(id)}`}>{url}</Link>{' '}
        {isGivenUp ? 'was disabled because it failed' : 'fails'}
        {failingSince && ' since '}
        {failingSince && <When at={failingSince} exact />}
      </>
    )
    return [{ key: id, text }]
  })
  return { asked: [pages], matters }
}

/** The roles that end soon, over all teams, the first end first. */
function useRoleMatters(): Part {
  const { listTeamMembers } = TeamService.method
  // To the end of a day, so that the request stays the same all day.
  const end = dayStart(dayOf(Date.now()), SOON_DAYS + 1) ?? ''
  const pages = usePages(listTeamMembers, { teamId: '-', expiresBefore: end, pageSize: ROLES })
  const showMore = usePagesOfAddress(pages)
  const more = {
    key: 'more',
    text: (
      <Button look="quiet" onClick={showMore}>
        Show more roles that end
      </Button>
    ),
  }
  const matters = pages.rows.map(({ teamId, userId, expiresAt }) => ({
    key: `${teamId} ${userId}`,
    text: (
      <>
        The role of <PersonLink id={userId} /> in <ThingLink kind="teams" id={teamId} /> ends <When at={expiresAt} />
      </>
    ),
  }))
  return { asked: [pages], matters: pages.hasNextPage ? [...matters, more] : matters }
}
