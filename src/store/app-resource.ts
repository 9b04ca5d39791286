import { Prisma } from '../../gen/prisma/client.js'
import type { AppResourceModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { AppResourceSchema } from '../../gen/svc/v2/app_resource_pb.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { listText } from './resource/text.js'
import { createRowLock, type NamedRowsInScope } from './row-lock.js'
import type { Scope } from './scope.js'
import { createStandardStore } from './standard-methods.js'

/** Resources inside apps. */
export const appResourceResource = declareResource(AppResourceSchema, schema.AppResource, 'r')

/** A locked app resource, with the values that must be unique. */
export type LockedAppResource = Pick<
  AppResourceModel,
  'id' | 'teamId' | 'appInstanceId' | 'resourceType' | 'externalId' | 'scopedId'
>

const lock = createRowLock<LockedAppResource, NamedRowsInScope>({
  name: 'lock_app_resources_of_batch',
  table: schema.AppResource,
  strength: 'UPDATE',
  read: { id: true, teamId: true, appInstanceId: true, resourceType: true, externalId: true, scopedId: true },
  team: 'team_id',
})

interface Owner {
  readonly id: string
}

interface Owners {
  readonly organizationId: string
  readonly teamIds: readonly string[]
  readonly appInstanceIds: readonly string[]
}

const ofOwner = { strength: 'NO KEY UPDATE', read: { id: true } } as const
const lockTeams = createRowLock<Owner>({ name: 'lock_teams', table: schema.Team, ...ofOwner })
const lockInstances = createRowLock<Owner>({ name: 'lock_app_instances', table: schema.AppInstance, ...ofOwner })

type Values = readonly (string | null)[]

/** New values of resources, a list for each column; `null` leaves a value unchanged, an empty external id clears it. */
export interface AppResourceChanges {
  readonly organizationId: string
  readonly ids: readonly string[]
  readonly resourceTypes: Values
  readonly names: Values
  readonly descriptions: Values
  readonly externalIds: Values
  readonly scopedIds: Values
}

/** Unique constraints are checked at its end, so that entries may swap their values. */
const update = createStatement<AppResourceChanges, PrintedRow>({
  name: 'update_app_resources',
  columns: { json: 'text' },
  text: (changes) => Prisma.sql`
WITH updated AS (
  UPDATE app_resources r
     SET resource_type = coalesce(u.resource_type, r.resource_type),
         name = coalesce(u.name, r.name),
         description = coalesce(u.description, r.description),
         external_id = CASE WHEN u.external_id IS NULL THEN r.external_id ELSE nullif(u.external_id, '') END,
         scoped_id = coalesce(u.scoped_id, r.scoped_id)
    FROM unnest(${changes.ids}::text[], ${changes.resourceTypes}::text[], ${changes.names}::text[],
                ${changes.descriptions}::text[], ${changes.externalIds}::text[], ${changes.scopedIds}::text[])
         WITH ORDINALITY AS u (id, resource_type, name, description, external_id, scoped_id, place)
   WHERE r.organization_id = ${changes.organizationId} AND r.id = u.id
  RETURNING r.*, u.place
)
SELECT ${listText(rowText(appResourceResource), Prisma.sql`r.place`)} AS json FROM updated r`,
})

/** A resource to create. */
export type NewAppResource = Omit<AppResourceModel, 'organizationId' | 'ordinal'>

/** The standard methods; updates are batches. A new resource gets its team from its app instance. */
export const appResourceStore = createStandardStore(appResourceResource, {
  ownerColumn: 'app_instance_id',
  searched: 'name',
})

/** The statements of this file. */
export const appResourceStatements = [lock, lockTeams, lockInstances, update, ...appResourceStore.statements]

/** The resources that are in the scope, in id order, locked until the transaction ends. */
export function lockAppResources(
  transaction: Tables,
  ids: readonly string[],
  scope: Scope,
): Promise<LockedAppResource[]> {
  return transaction.run(lock, { ids, ...scope })
}

/**
 * Locks teams and app instances until the transaction ends, and returns the ids of the app instances that are left.
 * After the resources, and teams before app instances, so that everyone waits in the same order.
 */
export async function lockOwnersOfAppResources(
  { run }: Tables,
  { organizationId, teamIds, appInstanceIds }: Owners,
): Promise<ReadonlySet<string>> {
  if (teamIds.length > 0) await run(lockTeams, { organizationId, ids: teamIds })
  if (appInstanceIds.length === 0) return new Set()
  return new Set((await run(lockInstances, { organizationId, ids: appInstanceIds })).map(({ id }) => id))
}

/** Changes resources, and returns their JSON in the order of the changes. */
export async function updateAppResources(transaction: Tables, changes: AppResourceChanges): Promise<string> {
  const [updated] = await transaction.run(update, changes)
  return updated?.json ?? '[]'
}

/** The values of a resource that others must not have. */
export type UniqueAppResourceValues = Pick<
  AppResourceModel,
  'teamId' | 'appInstanceId' | 'resourceType' | 'externalId' | 'scopedId'
>

/** The values of resources that may be those of new ones. */
export function findValuesOfAppResources(
  { models }: Tables,
  organizationId: string,
  wanted: readonly UniqueAppResourceValues[],
): Promise<UniqueAppResourceValues[]> {
  const among = <Name extends keyof UniqueAppResourceValues>(name: Name) => ({
    in: [...new Set(wanted.flatMap((row) => row[name] ?? []))],
  })
  return models.appResource.findMany({
    where: {
      organizationId,
      OR: [
        { appInstanceId: among('appInstanceId'), resourceType: among('resourceType'), externalId: among('externalId') },
        { teamId: among('teamId'), scopedId: among('scopedId') },
      ],
    },
    select: { teamId: true, appInstanceId: true, resourceType: true, externalId: true, scopedId: true },
  })
}

/** Creates resources. */
export async function createAppResources(
  { models }: Tables,
  organizationId: string,
  rows: readonly NewAppResource[],
): Promise<void> {
  await models.appResource.createMany({ data: rows.map((row) => ({ ...row, organizationId })) })
}
