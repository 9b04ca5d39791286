import { Prisma } from '../../gen/prisma/client.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement, type Parameter } from '../db/statement.js'
import { flagText, objectText, plainText, stringListText, stringText } from './json-text.js'
import { pageClassFor, perPageClass } from './page-class.js'
import { inTeams, type Scope } from './scope.js'

/**
 * The card of an agent, as it is stored: the API's own JSON. `kind` is the whole name of the enum's value.
 */
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

/** A character that JSON text cannot contain: in texts it is escaped. */
export const CARD_MARK = '\u0001'

/** A page of the app instances of a team that come after an ordinal. */
export interface AppInstanceSelection extends Scope {
  readonly teamId: string
  readonly after: string
  readonly pageSize: number
}

/**
 * A page: the JSON of its instances with commas between them, a `CARD_MARK` where one has an agent card, the cards, and
 * the ordinal of the last one.
 */
export interface AppInstancePageRow {
  readonly text: string
  readonly cards: readonly AgentCard[]
  readonly lastOrdinal: bigint
  readonly hasMore: boolean
}

const instanceText = objectText([
  ['id', plainText(Prisma.sql`i.id`)],
  ['customServiceId', stringText(Prisma.sql`i.custom_service_id`)],
  ['teamId', plainText(Prisma.sql`i.team_id`)],
  ['externalServiceInstanceId', stringText(Prisma.sql`i.external_service_instance_id`)],
  ['name', stringText(Prisma.sql`i.name`)],
  ['accessRequestsEnabled', flagText(Prisma.sql`i.access_requests_enabled`)],
  ['defaultAccessPolicyId', plainText(Prisma.sql`coalesce(i.default_access_policy_id, '')`)],
  ['customServiceName', stringText(Prisma.sql`i.custom_service_name`)],
  ['tagIds', stringListText(Prisma.sql`i.tag_ids`)],
  ['integrationIds', stringListText(Prisma.sql`i.integration_ids`)],
  {
    whole: Prisma.sql`CASE WHEN i.a2a_agent_card IS NULL THEN '' ELSE chr(${Prisma.raw(String(CARD_MARK.charCodeAt(0)))}) END`,
  },
  ['routeDirectFromWorker', flagText(Prisma.sql`i.route_direct_from_worker`)],
])

/**
 * Ordinal, JSON and card of up to `most` instances of the team that come after an ordinal. Both parts walk an index of the
 * team, in its order, and go no further than they are read; OFFSET 0 keeps the planner from reading the whole table for
 * shared ones.
 */
const instancesAfter = (ordinal: Prisma.Sql, most: number) => Prisma.sql`
        (SELECT i.ordinal, ${instanceText} AS text, i.a2a_agent_card AS card
           FROM app_instances i
          WHERE i.organization_id = t.organization_id AND i.team_id = t.id AND i.ordinal > ${ordinal}
          ORDER BY i.ordinal LIMIT ${Prisma.raw(String(most))})
        UNION ALL
        (SELECT s.app_instance_ordinal, ${instanceText}, i.a2a_agent_card
           FROM app_instance_shares s
          CROSS JOIN LATERAL (
            SELECT * FROM app_instances i
             WHERE i.organization_id = s.organization_id AND i.ordinal = s.app_instance_ordinal OFFSET 0
          ) i
          WHERE s.organization_id = t.organization_id AND s.team_id = t.id AND s.app_instance_ordinal > ${ordinal}
            AND i.team_id <> s.team_id
          ORDER BY s.app_instance_ordinal LIMIT ${Prisma.raw(String(most))})`

const bigint = (place: Parameter) => Prisma.sql`${place}::bigint`

/**
 * The statement for pages of up to `most` instances: it costs the same however many there are. A page is one row with one
 * text: of all forms that one costs the least to receive and to send. No row: there is no such team.
 */
const lists = perPageClass((most) =>
  createPreparedStatement<AppInstanceSelection, AppInstancePageRow>({
    name: `list_app_instances_${most}`,
    reason: 'printed JSON',
    columns: { text: 'text', cards: 'json', lastOrdinal: 'int8', hasMore: 'bool' },
    text: ({ organizationId, teamId, teamIds, after, pageSize }) => Prisma.sql`
SELECT page.text, page.cards, page."lastOrdinal",
       EXISTS (${instancesAfter(Prisma.sql`page."lastOrdinal"`, 1)}) AS "hasMore"
  FROM teams t
 CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(i.text, ',' ORDER BY i.ordinal), '') AS text,
           coalesce(json_agg(i.card ORDER BY i.ordinal) FILTER (WHERE i.card IS NOT NULL), '[]') AS cards,
           max(i.ordinal) AS "lastOrdinal"
      FROM (SELECT * FROM (${instancesAfter(bigint(after), most)}) i ORDER BY i.ordinal LIMIT ${pageSize}) i
  ) page
 WHERE t.organization_id = ${organizationId} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}`,
  }),
)

/** The statements of this file. */
export const appInstanceStatements = Object.values(lists)

/** A page of the app instances that a team owns and of those shared with it; undefined where the scope has no such team. */
export async function readAppInstances(
  tables: PreparedQueryable,
  selection: AppInstanceSelection,
): Promise<AppInstancePageRow | undefined> {
  const [page] = await tables.run(lists[pageClassFor(selection.pageSize)], selection)
  return page
}
