import type { Sql } from '../db/sql.js'
import { type Caller, visibleTeamIds } from './caller.js'
import { pageSizeFrom } from './page-size.js'
import type { PageQuery, PageTokens } from './page-token.js'
import { type OptionalRow, rowsOfTeam, teamIdFor } from './team-scope.js'

/** One installation of an app (spec, AppInstance). Empty texts are unset ids. */
export interface AppInstance {
  readonly id: string
  readonly customServiceId: string
  readonly teamId: string
  readonly externalServiceInstanceId: string
  readonly name: string
  readonly accessRequestsEnabled: boolean
  readonly defaultAccessPolicyId: string
  readonly customServiceName: string
  readonly tagIds: string[]
  readonly integrationIds: string[]
  readonly a2aAgentCard: AgentCard | null
  readonly routeDirectFromWorker: boolean
}

/** The card of an agent, as it is stored: the API's own JSON. */
export interface AgentCard {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly version: string
  readonly skills: readonly AgentSkill[]
  readonly workflowId: string
  readonly lastSyncedAt?: string
  readonly securitySchemes: readonly AgentSecurityScheme[]
}

/** Something that an agent can be asked for. */
export interface AgentSkill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: string[]
  readonly examples: string[]
  readonly inputModes: string[]
  readonly outputModes: string[]
}

/** How an agent wants callers to identify themselves. `kind` is the whole name of the enum's value. */
export interface AgentSecurityScheme {
  readonly name: string
  readonly kind: string
  readonly openIdConnectUrl: string
  readonly flow: string
  readonly oauth2MetadataUrl: string
  readonly scopes: string[]
}

/** What to list; empty texts and 0 are absent. */
export interface AppInstanceListRequest {
  readonly teamId: string
  readonly pageSize: number
  readonly pageToken: string
}

/** A page of app instances; the token is empty on the last one. */
export interface AppInstancePage {
  readonly instances: AppInstance[]
  readonly nextPageToken: string
}

interface AppInstanceRow extends AppInstance {
  readonly ordinal: string
}

const columns = `
i.ordinal, i.id, i.custom_service_id AS "customServiceId", i.team_id AS "teamId",
i.external_service_instance_id AS "externalServiceInstanceId", i.name,
i.access_requests_enabled AS "accessRequestsEnabled", coalesce(i.default_access_policy_id, '') AS "defaultAccessPolicyId",
i.custom_service_name AS "customServiceName", coalesce(i.tag_ids, '{}') AS "tagIds", coalesce(i.integration_ids, '{}') AS "integrationIds",
i.a2a_agent_card AS "a2aAgentCard", i.route_direct_from_worker AS "routeDirectFromWorker"`

/** Both parts walk an index from the position on and stop at the size of the page, however many rows there are. */
const listStatement = `
SELECT page.*
  FROM teams t
  LEFT JOIN LATERAL (
    (SELECT ${columns}
       FROM app_instances i
      WHERE i.team_id = t.id AND i.ordinal > $4
      ORDER BY i.ordinal LIMIT $5)
    UNION ALL
    (SELECT ${columns}
       FROM app_instance_shares s
       JOIN app_instances i ON i.ordinal = s.app_instance_ordinal AND i.team_id <> s.team_id
      WHERE s.team_id = t.id AND s.app_instance_ordinal > $4
      ORDER BY s.app_instance_ordinal LIMIT $5)
    ORDER BY ordinal LIMIT $5
  ) page ON true
 WHERE t.organization_id = $1 AND t.id = $2 AND ($3::text[] IS NULL OR t.id = ANY ($3))
 ORDER BY page.ordinal`

/**
 * A page of the app instances that a team owns and of those shared with it, in the order of their creation (spec,
 * endpoint 5). Throws `FIELD_INVALID` for a negative size, `TEAM_REQUIRED`, `PAGE_TOKEN_INVALID`, `RESOURCE_NOT_FOUND`
 * for the team, and `PERMISSION_MISSING` without `apps:read` in it.
 */
export async function listAppInstances(
  sql: Sql,
  caller: Caller,
  request: AppInstanceListRequest,
  pageTokens: PageTokens,
): Promise<AppInstancePage> {
  const pageSize = pageSizeFrom(request.pageSize)
  const teamId = await teamIdFor(sql, caller, request.teamId)
  const query: PageQuery = {
    method: 'ListAppInstances',
    organizationId: caller.organizationId,
    filter: { teamId },
  }
  const position = (await pageTokens.read(query, request.pageToken)) ?? '0'
  const found = await sql.query<OptionalRow<AppInstanceRow>>(
    listStatement,
    [caller.organizationId, teamId, visibleTeamIds(caller), position, pageSize + 1],
    'list_app_instances',
  )
  const instances = rowsOfTeam<AppInstanceRow>(found, caller, teamId, 'apps:read')
  const hasMore = instances.length > pageSize
  if (hasMore) instances.pop()
  const last = instances.at(-1)
  return {
    instances,
    nextPageToken: hasMore && last !== undefined ? await pageTokens.issue(query, last.ordinal) : '',
  }
}
