import { Prisma } from '../../gen/prisma/client.js'
import type { AppInstanceShareModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { AppInstanceSchema } from '../../gen/svc/v2/app_instance_pb.js'
import type { Tables } from '../db/tables.js'
import { createPages, type PageRow, type RowRange } from './pages.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import type { StandardKey } from './standard-writes.js'
import { inTeams, ofOrganization, type Visibility } from './visibility.js'

/** Installations of apps. */
const appInstanceResource = declareResource(AppInstanceSchema, schema.AppInstance, 'i')

/** A page of a team's app instances, after an ordinal, or from the first one without it. */
export interface AppInstancePage extends Visibility {
  readonly teamId: string
  readonly after: string | undefined
  readonly pageSize: number
}

const instanceText = rowText(appInstanceResource)

/**
 * Both parts walk an index of the team, in its order; OFFSET 0 keeps the planner from reading the whole table for
 * shared ones. No row means that there is no such team.
 */
const list = createPages<AppInstancePage>('list_app_instances', {
  alias: 'i',
  text: Prisma.sql`i.text`,
  order: Prisma.sql`i.ordinal`,
  position: Prisma.sql`i.ordinal::text`,
  keepsPlans: true,
  rows: ({ after, pageSize }, most) => Prisma.sql`(
        (SELECT i.ordinal, ${instanceText} AS text
           FROM app_instances i
          WHERE ${ofOrganization('i')} AND i.team_id = t.id AND i.ordinal > ${after}::bigint
          ORDER BY i.ordinal LIMIT ${most})
        UNION ALL
        (SELECT s.app_instance_ordinal, ${instanceText}
           FROM app_instance_shares s
          CROSS JOIN LATERAL (
            SELECT * FROM app_instances i
             WHERE ${ofOrganization('i')} AND i.ordinal = s.app_instance_ordinal OFFSET 0
          ) i
          WHERE ${ofOrganization('s')} AND s.team_id = t.id AND s.app_instance_ordinal > ${after}::bigint
            AND i.team_id <> s.team_id
          ORDER BY s.app_instance_ordinal LIMIT ${most})
        ORDER BY ordinal LIMIT ${pageSize} + 1) i`,
  ofOwner: (page, { teamId, teamIds }) => Prisma.sql`
SELECT page.*
  FROM teams t
 CROSS JOIN LATERAL (${page}) page
 WHERE ${ofOrganization('t')} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}`,
})

/** The standard methods; `readAppInstances` lists those of a team without a search. */
export const appInstanceStore = createStandardStore(appInstanceResource, {
  searched: 'name',
  shared: (isListed) => Prisma.sql`i.ordinal = ANY (ARRAY(
             SELECT s.app_instance_ordinal FROM app_instance_shares s
              WHERE ${ofOrganization('s')} AND ${isListed(Prisma.sql`s.team_id`)}))`,
})

/** A page of the app instances that a team owns or that are shared with it; undefined if the scope has no such team. */
export function readAppInstances(
  tables: Tables,
  { after = '0', ...selection }: AppInstancePage,
): Promise<PageRow | undefined> {
  return list(tables, { ...selection, after })
}

/** The app instance whose shares to list. */
type AppInstanceShareList = Pick<AppInstanceShareModel, 'organizationId' | 'appInstanceId'>

/** Shares of an app instance in the order of their teams' ids. */
export function listAppInstanceShares({ models }: Tables, list: AppInstanceShareList, { after, take }: RowRange) {
  const where = { ...list, teamId: { gt: after } }
  const select = { appInstanceId: true, teamId: true }
  return models.appInstanceShare.findMany({ where, orderBy: { teamId: 'asc' }, take, select })
}

/** How many teams an app instance is shared with. */
export function countAppInstanceShares({ models }: Tables, where: AppInstanceShareList): Promise<number> {
  return models.appInstanceShare.count({ where })
}

/** Shows an app instance in the list of another team, or no longer. What is already so stays as it is. */
export async function setAppInstanceShare(
  { models }: Tables,
  { organizationId, id: appInstanceId }: StandardKey,
  teamId: string,
  isShared: boolean,
): Promise<void> {
  const share = { organizationId, appInstanceId, teamId }
  if (!isShared) return void (await models.appInstanceShare.deleteMany({ where: share }))
  const where = { organizationId_id: { organizationId, id: appInstanceId } }
  const { ordinal } = await models.appInstance.findUniqueOrThrow({ where, select: { ordinal: true } })
  const data = { ...share, appInstanceOrdinal: ordinal }
  await models.appInstanceShare.createMany({ data, skipDuplicates: true })
}
