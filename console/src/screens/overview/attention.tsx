import { Link } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/dist/esm/icons/triangle-alert.mjs'
import type { ReactNode } from 'react'
import { ApiKeyService, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import {
  WebhookDisabledReason,
  WebhookDisabledReasonSchema,
  WebhookEndpointService,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { nameOf } from '../../api/message.js'
import { usePages, useTotal } from '../../api/pages.js'
import { PersonLink, ThingLink } from '../../api/things.js'
import { countText, enumText } from '../../api/words.js'
import type { Search } from '../../ui/address.js'
import { FirstFew } from '../../ui/first-few.js'
import { EndLine } from '../../ui/line.js'
import { Panel } from '../../ui/screen.js'
import type { Asked } from '../../ui/states.js'
import { dayOf, dayStart, When } from '../../ui/when.js'
import { isLeftBehind, isUnused } from '../keys/key-facts.js'
import styles from './overview.module.css'

const SOON_DAYS = 30
const SOON_MILLIS = SOON_DAYS * 86_400_000

/** What needs attention. That nothing does is said only when everything has answered. */
export function Attention() {
  const parts = [useJourneyMatters(), useKeyMatters(), useEndpointMatters(), useRoleMatters()]
  const asked = parts.flatMap((part) => part.asked)
  const allowed = asked.filter(({ why }) => why === undefined)
  const found = parts.filter(({ matters }) => matters.length > 0)
  return (
    <Panel title="Needs attention" asked={allowed.length === 0 ? asked : allowed}>
      {found.length === 0 ? (
        <p>Nothing needs attention{allowed.length < asked.length ? ', of what you can see' : ''}.</p>
      ) : (
        found.map(({ many, matters }) => (
          <FirstFew key={many} items={matters} many={many}>
            {(shown) => (
              <ul className={styles['matters']}>
                {shown.map(({ key, text, end }) => (
                  <li key={key}>
                    <TriangleAlert size={15} aria-hidden />
                    <span>{text}</span>
                    {end && <EndLine at={end} days={SOON_DAYS} />}
                  </li>
                ))}
              </ul>
            )}
          </FirstFew>
        ))
      )}
    </Panel>
  )
}

interface Part {
  readonly many: string
  readonly asked: readonly Asked[]
  readonly matters: readonly { readonly key: string; readonly text: ReactNode; readonly end?: string | undefined }[]
}

/** One line, if there is any, with the way to the list of those that are counted. */
function counted(count: number | undefined, [one, many]: readonly [string, string], to: string, search: Search) {
  if (!count) return []
  const text = (
    <Link to={to} search={search as never}>
      {countText(count, one, many)}
    </Link>
  )
  return [{ key: one, text }]
}

const words = {
  late: ['journey is late', 'journeys are late'],
  failing: ['journey has a failing check', 'journeys have failing checks'],
  unused: ['API key has not been used for 30 days', 'API keys have not been used for 30 days'],
  left: [
    'API key still works though its creator is deactivated',
    'API keys still work though their creators are deactivated',
  ],
} as const

function useJourneyMatters(): Part {
  const { listJourneys } = JourneyService.method
  const late = useTotal(listJourneys, { isArchived: false, isOverdue: true })
  const failing = useTotal(listJourneys, { isArchived: false, isFailing: true })
  return {
    many: 'journeys',
    asked: [late, failing],
    matters: [
      ...counted(late.data, words.late, '/journeys', { state: 'overdue' }),
      ...counted(failing.data, words.failing, '/journeys', { state: 'failing' }),
    ],
  }
}

function useKeyMatters(): Part {
  const keys = usePages(ApiKeyService.method.listApiKeys, {})
  const now = Date.now()
  // One that was rotated ends as it should: its successor goes on.
  const ending = keys.rows.filter(
    ({ status, expiresAt, rotatedTo }) =>
      status === ApiKeyStatus.ACTIVE && !rotatedTo && expiresAt && Date.parse(expiresAt) - now < SOON_MILLIS,
  )
  return {
    many: 'API keys',
    asked: [keys],
    matters: [
      ...counted(keys.rows.filter((key) => isUnused(key, now)).length, words.unused, '/keys', { use: 'unused' }),
      ...counted(keys.rows.filter(isLeftBehind).length, words.left, '/keys', { left: 'yes' }),
      ...ending.map((key) => ({
        key: key.id,
        text: (
          <>
            <Link to="/keys/$id" params={{ id: key.id }}>
              The API key {nameOf(key)}
            </Link>{' '}
            ends <When at={key.expiresAt} />
          </>
        ),
        end: key.expiresAt,
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
        {isGivenUp && `is disabled: ${enumText(WebhookDisabledReasonSchema, disabledReason).toLowerCase()}`}
        {isGivenUp && failingSince && '; it '}
        {failingSince && 'has failed since '}
        {failingSince && <When at={failingSince} exact />}
      </>
    )
    return [{ key: id, text }]
  })
  return { many: 'webhooks', asked: [pages], matters }
}

/** The roles that end soon, over all teams, the first end first. */
function useRoleMatters(): Part {
  const { listTeamMembers } = TeamService.method
  // To the end of a day, so that the request stays the same all day.
  const end = dayStart(dayOf(Date.now()), SOON_DAYS + 1) ?? ''
  const pages = usePages(listTeamMembers, { teamId: '-', expiresBefore: end })
  const matters = pages.rows.map(({ teamId, userId, expiresAt }) => ({
    key: `${teamId} ${userId}`,
    text: (
      <>
        The role of <PersonLink id={userId} /> in <ThingLink kind="teams" id={teamId} /> ends <When at={expiresAt} />
      </>
    ),
    end: expiresAt,
  }))
  return { many: 'roles', asked: [pages], matters }
}
