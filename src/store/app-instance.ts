import { Prisma } from '../../gen/prisma/client.js'
import type { AppInstanceModel, AppInstanceShareModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { AppInstanceSchema, AppInstanceShareSchema } from '../../gen/svc/v2/app_instance_pb.js'
import type { Tables } from '../db/tables.js'
import { createCount, createPages } from './pages.js'
import { rowText } from './resource/print.js'
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

type OfInstance = Pick<AppInstanceShareModel, 'organizationId' | 'appInstanceId'>

const shares = { table: schema.AppInstanceShare, alias: 's', filters: ['app_instance_id'] }

/** Shares of an app instance in the order of their teams' ids. */
export const listAppInstanceShares = createPages<OfInstance>('list_app_instance_shares', {
  ...shares,
  text: rowText(declareResource(AppInstanceShareSchema, schema.AppInstanceShare, 's')),
  order: ['team_id'],
})

export const countAppInstanceShares = createCount<OfInstance>('count_app_instance_shares', shares)

/** Shares an app instance with another team, or stops sharing it, unless that is already so. */
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
