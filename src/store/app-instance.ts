import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { AppInstanceSchema } from '../../gen/svc/v2/app_instance_pb.js'
import { createStatement, type Parameter } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { pageClassFor, perPageClass } from './list.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { itemsText } from './resource/text.js'
import { inTeams, ofOrganization, type Scope } from './scope.js'
import { createStandardStore } from './standard-methods.js'
import type { StandardKey } from './standard-writes.js'

/** Installations of apps. */
const appInstanceResource = declareResource(AppInstanceSchema, schema.AppInstance, 'i')

/** A page of a team's app instances after an ordinal. */
export interface AppInstanceSelection extends Scope {
  readonly teamId: string
  readonly after: string
  readonly pageSize: number
}

/** A page: the JSON of its items with commas between them, and the ordinal of the last instance. */
export interface AppInstancePageRow {
  readonly items: string
  readonly lastOrdinal: bigint
  readonly hasMore: boolean
}

const instanceText = rowText(appInstanceResource)

/**
 * Ordinal and JSON of up to `most` instances of the team after an ordinal. Both parts walk an index of the team, in its
 * order, and stop when enough is read; OFFSET 0 keeps the planner from reading the whole table for shared ones.
 */
const instancesAfter = (ordinal: Prisma.Sql, most: number) => Prisma.sql`
        (SELECT i.ordinal, ${instanceText} AS text
           FROM app_instances i
          WHERE ${ofOrganization('i')} AND i.team_id = t.id AND i.ordinal > ${ordinal}
          ORDER BY i.ordinal LIMIT ${Prisma.raw(String(most))})
        UNION ALL
        (SELECT s.app_instance_ordinal, ${instanceText}
           FROM app_instance_shares s
          CROSS JOIN LATERAL (
            SELECT * FROM app_instances i
             WHERE ${ofOrganization('i')} AND i.ordinal = s.app_instance_ordinal OFFSET 0
          ) i
          WHERE ${ofOrganization('s')} AND s.team_id = t.id AND s.app_instance_ordinal > ${ordinal}
            AND i.team_id <> s.team_id
          ORDER BY s.app_instance_ordinal LIMIT ${Prisma.raw(String(most))})`

const bigint = (place: Parameter) => Prisma.sql`${place}::bigint`

/**
 * The statement for pages of up to `most` instances; its cost does not depend on how many there are. A page is one row
 * with one text, the form that is cheapest to receive and to send. No row means that there is no such team.
 */
const lists = perPageClass((most) =>
  createStatement<AppInstanceSelection, AppInstancePageRow>({
    name: `list_app_instances_${most}`,
    columns: { items: 'text', lastOrdinal: 'int8', hasMore: 'bool' },
    text: ({ teamId, teamIds, after, pageSize }) => Prisma.sql`
SELECT page.items, page."lastOrdinal",
       EXISTS (${instancesAfter(Prisma.sql`page."lastOrdinal"`, 1)}) AS "hasMore"
  FROM teams t
 CROSS JOIN LATERAL (
    SELECT ${itemsText(Prisma.sql`i.text`, Prisma.sql`i.ordinal`)} AS items, max(i.ordinal) AS "lastOrdinal"
      FROM (SELECT * FROM (${instancesAfter(bigint(after), most)}) i ORDER BY i.ordinal LIMIT ${pageSize}) i
  ) page
 WHERE ${ofOrganization('t')} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}`,
  }),
)

/** The standard methods; `readAppInstances` lists. */
export const appInstanceStore = createStandardStore(appInstanceResource, { hasOwnList: true })

/** The statements of this file. */
export const appInstanceStatements = [...Object.values(lists), ...appInstanceStore.statements]

/** A page of the app instances that a team owns or that are shared with it; undefined if the scope has no such team. */
export async function readAppInstances(
  tables: Tables,
  selection: AppInstanceSelection,
): Promise<AppInstancePageRow | undefined> {
  const [page] = await tables.run(lists[pageClassFor(selection.pageSize)], selection)
  return page
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
