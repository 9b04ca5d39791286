import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { OrganizationService } from '../../../../gen/svc/v2/organization_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../../gen/svc/v2/user_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { usePages, useTotal } from '../../api/pages.js'
import { isOverseer } from '../../api/rights.js'
import { numberText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { Screen } from '../../ui/screen.js'
import type { Asked } from '../../ui/states.js'
import { Attention } from './attention.js'
import { HomeScreen } from './home-screen.js'
import styles from './overview.module.css'
import { ChangesADay, JourneysByState, KeysByAge, Webhooks } from './shapes.js'

/** The first screen: of the organization for those who look after it, of their own work for others. */
export function OverviewScreen() {
  return isOverseer(useCaller()) ? <Overview /> : <HomeScreen />
}

/** What there is, and what needs attention. */
function Overview() {
  const { data } = useQuery(OrganizationService.method.getOrganization, undefined, { staleTime: 300_000 })
  const people = useTotal(UserService.method.listUsers, {})
  const teams = useTotal(TeamService.method.listTeams, {})
  const journeys = useTotal(JourneyService.method.listJourneys, { isArchived: false })
  const keys = usePages(ApiKeyService.method.listApiKeys, {})
  return (
    <Screen title="Overview" lead={data?.data?.name}>
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
