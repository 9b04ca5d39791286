import { Link } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/dist/esm/icons/triangle-alert.mjs'
import type { ReactNode } from 'react'
import { ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { WebhookDisabledReason, WebhookEndpointService } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink, useTeamName } from '../../api/names.js'
import { usePages, useTotalQuery } from '../../api/pages.js'
import { usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { dayOf, dayStart } from '../../ui/days.js'
import { Panel } from '../../ui/screen.js'
import { Answered } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { isLeftBehind, isUnused } from '../keys/key-facts.js'
import styles from './overview.module.css'
import { useKeys } from './use-keys.js'

const SOON_DAYS = 30
const SOON_MILLIS = SOON_DAYS * 86_400_000
/** An organization has at most 100. */
export const ENDPOINTS = 1_000
const ROLES = 100

/** What needs attention. That nothing does is said only when everything has answered. */
export function Attention() {
  const parts = [useJourneyMatters(), useKeyMatters(), useEndpointMatters(), useRoleMatters()]
  const allowed = parts.filter(({ why }) => why === undefined)
  const matters = allowed.flatMap((part) => part.matters)
  const left = parts.length - allowed.length
  return (
    <Panel title="Needs attention">
      <Answered why={allowed.length === 0 ? parts[0]?.why : undefined} asked={allowed.flatMap(({ asked }) => asked)}>
        {matters.length === 0 ? (
          <p>Nothing needs attention{left > 0 ? ', of what you can see' : ''}.</p>
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
  readonly why: string | undefined
  readonly asked: Parameters<typeof Answered>[0]['asked']
  readonly matters: readonly { readonly key: string; readonly text: ReactNode }[]
}

/** One line if there is any. */
function counted(count: number | undefined, key: string, text: ReactNode): Part['matters'] {
  return count ? [{ key, text }] : []
}

function useJourneyMatters(): Part {
  const { listJourneys } = JourneyService.method
  const why = useWhyNot(listJourneys)
  const late = useTotalQuery(listJourneys, { isArchived: false, isOverdue: true }, why === undefined)
  const failing = useTotalQuery(listJourneys, { isArchived: false, isFailing: true }, why === undefined)
  return {
    why,
    asked: [late, failing],
    matters: [
      ...counted(
        late.data,
        'late',
        <Link to="/journeys" search={{ state: 'overdue' } as never}>
          {late.data === 1 ? '1 journey is late' : `${late.data} journeys are late`}
        </Link>,
      ),
      ...counted(
        failing.data,
        'failing',
        <Link to="/journeys" search={{ state: 'failing' } as never}>
          {failing.data === 1 ? '1 journey has a failing check' : `${failing.data} journeys have failing checks`}
        </Link>,
      ),
    ],
  }
}

function useKeyMatters(): Part {
  const { why, ...keys } = useKeys()
  const now = Date.now()
  const unused = keys.rows.filter((key) => isUnused(key, now)).length
  const leftBehind = keys.rows.filter(isLeftBehind).length
  const ending = keys.rows.filter(
    ({ status, expiresAt }) => status === ApiKeyStatus.ACTIVE && expiresAt && Date.parse(expiresAt) - now < SOON_MILLIS,
  )
  return {
    why,
    asked: [keys],
    matters: [
      ...counted(
        unused,
        'unused',
        <Link to="/keys" search={{ use: 'unused' } as never}>
          {unused === 1 ? '1 API key has' : `${unused} API keys have`} not been used for 30 days
        </Link>,
      ),
      ...counted(
        leftBehind,
        'left',
        <Link to="/keys" search={{ left: 'yes' } as never}>
          {leftBehind === 1 ? '1 API key works' : `${leftBehind} API keys work`} on whose creator is deactivated
        </Link>,
      ),
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
  const why = useWhyNot(listWebhookEndpoints)
  const pages = usePages(listWebhookEndpoints, { pageSize: ENDPOINTS }, why === undefined)
  const matters = pages.rows.flatMap(({ id, url, failingSince, disabledReason = WebhookDisabledReason.REQUEST }) => {
    const isGivenUp = disabledReason !== WebhookDisabledReason.REQUEST
    if (failingSince === undefined && !isGivenUp) return []
    const text = (
      <>
        The webhook <Link to={`/webhooks/${encodeURIComponent(id)}`}>{url}</Link>{' '}
        {isGivenUp ? 'was disabled because it failed' : 'fails'}
        {failingSince && (
          <>
            {' '}
            since <When at={failingSince} exact />
          </>
        )}
      </>
    )
    return [{ key: id, text }]
  })
  return { why, asked: [pages], matters }
}

/** The roles that end soon, over all teams, the first end first. */
function useRoleMatters(): Part {
  const { listTeamMembers } = TeamService.method
  const why = useWhyNot(listTeamMembers)
  const teamName = useTeamName()
  // To the end of a day, so that the request stays the same all day.
  const end = dayStart(dayOf(Date.now()), SOON_DAYS + 1) ?? ''
  const pages = usePages(listTeamMembers, { teamId: '-', expiresBefore: end, pageSize: ROLES }, why === undefined)
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
        The role of <PersonLink id={userId} /> in{' '}
        <Link to={`/teams/${encodeURIComponent(teamId)}`}>{teamName(teamId)}</Link> ends <When at={expiresAt} />
      </>
    ),
  }))
  return { why, asked: [pages], matters: pages.hasNextPage ? [...matters, more] : matters }
}
