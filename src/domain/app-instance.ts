import type { Sql } from '../db/sql.js'
import { notFound } from '../errors.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'
import { objectText, plainText, stringListText, stringText } from './json-text.js'
import { pageClassFor, pageSizeFrom, perPageClass } from './page-size.js'
import type { PageQuery, PageTokens } from './page-token.js'
import { teamIdFor } from './team-scope.js'

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
  readonly a2aAgentCard?: AgentCard
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

/**
 * A page of app instances: their JSON as the API prints it, with commas between them; the token is empty on the last page.
 * Where an instance has an agent card, a `CARD_MARK` stands in the text, and the card in `cards`: stored documents do not
 * keep the order of their keys.
 */
export interface AppInstancePage {
  readonly text: string
  readonly cards: readonly AgentCard[]
  readonly nextPageToken: string
}

/** A character that JSON text cannot contain: in texts it is escaped. */
export const CARD_MARK = '\u0001'

const instanceText = objectText([
  ['id', plainText('i.id')],
  ['customServiceId', stringText('i.custom_service_id')],
  ['teamId', plainText('i.team_id')],
  ['externalServiceInstanceId', stringText('i.external_service_instance_id')],
  ['name', stringText('i.name')],
  ['accessRequestsEnabled', 'i.access_requests_enabled'],
  ['defaultAccessPolicyId', plainText(`coalesce(i.default_access_policy_id, '')`)],
  ['customServiceName', stringText('i.custom_service_name')],
  ['tagIds', stringListText('i.tag_ids')],
  ['integrationIds', stringListText('i.integration_ids')],
  { whole: `CASE WHEN i.a2a_agent_card IS NULL THEN '' ELSE chr(${CARD_MARK.charCodeAt(0)}) END` },
  ['routeDirectFromWorker', 'i.route_direct_from_worker'],
])

interface PageRow {
  readonly text: string
  readonly cards: readonly AgentCard[]
  readonly lastOrdinal: string
  readonly hasMore: boolean
}

/**
 * Ordinal, JSON and card of up to `most` instances of the team that come after an ordinal. Both parts walk an index of the
 * team, in its order, and go no further than they are read; OFFSET 0 keeps the planner from reading the whole table for
 * shared ones.
 */
const instancesAfter = (ordinal: string, most: number) => `
        (SELECT i.ordinal, ${instanceText} AS text, i.a2a_agent_card AS card
           FROM app_instances i
          WHERE i.team_id = t.id AND i.ordinal > ${ordinal}
          ORDER BY i.ordinal LIMIT ${most})
        UNION ALL
        (SELECT s.app_instance_ordinal, ${instanceText}, i.a2a_agent_card
           FROM app_instance_shares s
          CROSS JOIN LATERAL (SELECT * FROM app_instances i WHERE i.ordinal = s.app_instance_ordinal OFFSET 0) i
          WHERE s.team_id = t.id AND s.app_instance_ordinal > ${ordinal} AND i.team_id <> s.team_id
          ORDER BY s.app_instance_ordinal LIMIT ${most})`

/**
 * The statement for pages of up to `most` instances: it costs the same however many there are. A page is one row with one
 * text: of all forms that one costs the least to receive and to send. No row: there is no such team.
 */
const listStatement = (most: number) => `
SELECT page.text, page.cards, page."lastOrdinal",
       EXISTS (${instancesAfter('page."lastOrdinal"', 1)}) AS "hasMore"
  FROM teams t
 CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(i.text, ',' ORDER BY i.ordinal), '') AS text,
           coalesce(json_agg(i.card ORDER BY i.ordinal) FILTER (WHERE i.card IS NOT NULL), '[]') AS cards,
           max(i.ordinal) AS "lastOrdinal"
      FROM (SELECT * FROM (${instancesAfter('$4', most)}) i ORDER BY i.ordinal LIMIT $5) i
  ) page
 WHERE t.organization_id = $1 AND t.id = $2 AND ($3::text[] IS NULL OR t.id = ANY ($3))`

const listStatements = perPageClass(listStatement)

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
  const pageClass = pageClassFor(pageSize)
  const [page] = await sql.query<PageRow>(
    listStatements[pageClass],
    [caller.organizationId, teamId, visibleTeamIds(caller), position, pageSize],
    `list_app_instances_${pageClass}`,
  )
  if (page === undefined) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, 'apps:read')
  const { text, cards, lastOrdinal, hasMore } = page
  return { text, cards, nextPageToken: hasMore ? await pageTokens.issue(query, lastOrdinal) : '' }
}
