import { Prisma } from '../../gen/prisma/client.js'
import type { AppInstanceModel, AppInstanceShareModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { AppInstanceSchema } from '../../gen/svc/v2/app_instance_pb.js'
import type { Tables } from '../db/tables.js'
import type { RowRange } from './pages.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { ofOrganization } from './visibility.js'

/** The standard methods; lists of a team have what is shared with it, too. */
export const appInstanceStore = createStandardStore(declareResource(AppInstanceSchema, schema.AppInstance, 'i'), {
  searched: 'name',
  shared: (isListed) => Prisma.sql`i.ordinal = ANY (ARRAY(
             SELECT s.app_instance_ordinal FROM app_instance_shares s
              WHERE ${ofOrganization('s')} AND ${isListed(Prisma.sql`s.team_id`)}))`,
})

type AppInstanceShareList = Pick<AppInstanceShareModel, 'organizationId' | 'appInstanceId'>

/** Shares of an app instance in the order of their teams' ids. */
export function listAppInstanceShares({ models }: Tables, list: AppInstanceShareList, { after, take }: RowRange) {
  const where = { ...list, teamId: { gt: after } }
  const select = { appInstanceId: true, teamId: true }
  return models.appInstanceShare.findMany({ where, orderBy: { teamId: 'asc' }, take, select })
}

export function countAppInstanceShares({ models }: Tables, where: AppInstanceShareList): Promise<number> {
  return models.appInstanceShare.count({ where })
}

/** Shows an app instance in the list of another team, or no longer. What is already so stays as it is. */
export async function setAppInstanceShare(
  { models }: Tables,
  { organizationId, id: appInstanceId, ordinal }: Pick<AppInstanceModel, 'organizationId' | 'id' | 'ordinal'>,
  teamId: string,
  isShared: boolean,
): Promise<void> {
  const share = { organizationId, appInstanceId, teamId }
  if (!isShared) return void (await models.appInstanceShare.deleteMany({ where: share }))
  const data = { ...share, appInstanceOrdinal: ordinal }
  await models.appInstanceShare.createMany({ data, skipDuplicates: true })
}
