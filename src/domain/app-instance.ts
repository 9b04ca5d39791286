import type { Sql } from '../db/sql.js'
import { notFound } from '../errors.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'
import { objectText, plainText, stringListText, stringText } from './json-text.js'
import { pageSizeFrom } from './page-size.js'
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

/** A page of app instances; the token is empty on the last one. */
export interface AppInstancePage {
  readonly pieces: readonly AppInstancePiece[]
  readonly nextPageToken: string
}

/**
 * Some of the app instances of a page: their JSON as the API prints it, with commas between them. Where an instance has an
 * agent card, a `CARD_MARK` stands in its text, and the card in `cards`: stored documents do not keep the order of keys.
 */
export interface AppInstancePiece {
  readonly text: string
  readonly cards: readonly AgentCard[]
}

/** A character that JSON text cannot contain: in texts it is escaped. */
export const CARD_MARK = '\u0001'

/** So many instances make a piece: few rows to receive, and none so large that it holds up other requests. */
const PIECE_SIZE = 256

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

interface PieceRow {
  /** The team's id, so that a team without instances is told from one that is hidden. */
  readonly teamId: string
  readonly text: string | null
  readonly cards: readonly AgentCard[] | null
  readonly lastOrdinal: string | null
  readonly hasMore: boolean | null
}

/**
 * Both parts walk an index from the position on and stop at the size of the page, however many rows there are. One row
 * more than the page has tells whether there is another; it has no text.
 */
const listStatement = `
SELECT t.id AS "teamId", piece.*
  FROM teams t
  LEFT JOIN LATERAL (
    SELECT string_agg(${instanceText}, ',' ORDER BY i.n) FILTER (WHERE i.n < $5) AS text,
           json_agg(i.a2a_agent_card ORDER BY i.n) FILTER (WHERE i.n < $5 AND i.a2a_agent_card IS NOT NULL) AS cards,
           max(i.ordinal) FILTER (WHERE i.n < $5) AS "lastOrdinal",
           bool_or(i.n = $5) AS "hasMore",
           min(i.n) AS place
      FROM (
        SELECT page.*, row_number() OVER (ORDER BY page.ordinal) AS n
          FROM (
            (SELECT i.*
               FROM app_instances i
              WHERE i.team_id = t.id AND i.ordinal > $4
              ORDER BY i.ordinal LIMIT $5)
            UNION ALL
            (SELECT i.*
               FROM app_instance_shares s
               JOIN app_instances i ON i.ordinal = s.app_instance_ordinal AND i.team_id <> s.team_id
              WHERE s.team_id = t.id AND s.app_instance_ordinal > $4
              ORDER BY s.app_instance_ordinal LIMIT $5)
            ORDER BY ordinal LIMIT $5
          ) page
      ) i
     GROUP BY (i.n - 1) / ${PIECE_SIZE}
  ) piece ON true
 WHERE t.organization_id = $1 AND t.id = $2 AND ($3::text[] IS NULL OR t.id = ANY ($3))
 ORDER BY piece.place`

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
  const rows = await sql.query<PieceRow>(
    listStatement,
    [caller.organizationId, teamId, visibleTeamIds(caller), position, pageSize + 1],
    'list_app_instances',
  )
  if (rows.length === 0) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, 'apps:read')
  const lastOrdinal = rows.findLast((row) => row.lastOrdinal !== null)?.lastOrdinal ?? ''
  return {
    pieces: rows.flatMap(({ text, cards }) => (text === null ? [] : { text, cards: cards ?? [] })),
    nextPageToken: rows.some(({ hasMore }) => hasMore === true) ? await pageTokens.issue(query, lastOrdinal) : '',
  }
}
