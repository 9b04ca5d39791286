import { Prisma } from '../../gen/prisma/client.js'
import type { AppResourceModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { AppResourceSchema } from '../../gen/svc/v2/app_resource_pb.js'
import { createLookUp, createQuery, queryOf, type Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource, rowsOfJson, typesIn } from './resource/resource.js'
import { listText } from './resource/text.js'
import { createRowLock, type NamedRows } from './row-lock.js'
import { createStandardStore } from './standard-methods.js'
import { ofOrganization } from './visibility.js'

const typesOf = (names: readonly string[]) => typesIn(schema.AppResource, names)

export const appResourceResource = declareResource(AppResourceSchema, schema.AppResource, 'r')

/** Locks the visible ones of the resources until the transaction ends, in id order. */
export const lockAppResources = queryOf(
  createRowLock({
    name: 'lock_app_resources_of_batch',
    table: schema.AppResource,
    strength: 'UPDATE',
    read: ['id', 'teamId', 'appInstanceId', 'resourceType', 'externalId', 'scopedId', 'tagIds'],
  }),
)

export type LockedAppResource = Awaited<ReturnType<typeof lockAppResources>>[number]

type Owners = Readonly<Record<'teamIds' | 'appInstanceIds', readonly string[]>> & { readonly organizationId: string }

const lockTeams = createRowLock({ table: schema.Team, strength: 'NO KEY UPDATE', read: ['id'] })
const lockInstances = createRowLock({ table: schema.AppInstance, strength: 'NO KEY UPDATE', read: ['id'] })

/** New values of one resource; absent ones stay as they are, and an empty description or external id clears it. */
export type AppResourceUpdate = { readonly id: string } & {
  readonly [Name in (typeof changeable)[number]]?: string | undefined
}

const changeable = ['resourceType', 'name', 'description', 'externalId', 'scopedId'] as const

/** Unique constraints are checked at its end, so that entries may swap their values. */
const update = createLookUp<Pick<NamedRows, 'organizationId' | 'ids'> & { readonly changes: string }, PrintedRow>({
  name: 'update_app_resources',
  columns: { json: 'text' },
  // Found by their ids: a kept plan, which expects a hundred rows from JSON, would read all resources.
  text: ({ ids, changes }) => Prisma.sql`
WITH updated AS (
  UPDATE app_resources r
     SET resource_type = coalesce(u.resource_type, r.resource_type),
         name = coalesce(u.name, r.name),
         description = coalesce(u.description, r.description),
         external_id = CASE WHEN u.external_id IS NULL THEN r.external_id ELSE nullif(u.external_id, '') END,
         scoped_id = coalesce(u.scoped_id, r.scoped_id),
         version = r.version + coalesce(u.resource_type <> r.resource_type OR u.name <> r.name
                                        OR u.description <> r.description OR u.external_id <> coalesce(r.external_id, '')
                                        OR u.scoped_id <> r.scoped_id, false)::int
    FROM ${rowsOfJson(changes, 'u', typesOf(['id', 'resource_type', 'name', 'description', 'external_id', 'scoped_id']))}
   WHERE ${ofOrganization('r')} AND r.id = ANY (${ids}) AND r.id = u.id
  RETURNING r.*, u.place
)
SELECT ${listText(rowText(appResourceResource), Prisma.sql`r.place`)} AS json FROM updated r`,
})

export type NewAppResource = Omit<AppResourceModel, 'organizationId' | 'ordinal' | 'version'>

type Rows = Readonly<Record<'organizationId' | 'rows', string>>

/** A value that a resource should get but another one already has; places count from 1. */
interface Taken {
  readonly place: bigint
  readonly holder: string
  readonly field: 'externalId' | 'scopedId'
}

export const takenOfAppResources = createQuery<Rows, Taken>({
  name: 'find_taken_of_app_resources',
  columns: { place: 'int8', holder: 'text', field: 'text' },
  text: ({ rows }) => {
    const wanted = Prisma.sql`
  FROM ${rowsOfJson(rows, 'w', typesOf(['team_id', 'app_instance_id', 'resource_type', 'external_id', 'scoped_id']))}
  JOIN app_resources r ON ${ofOrganization('r')}`
    return Prisma.sql`
SELECT w.place, r.id AS holder, 'externalId' AS field ${wanted}
   AND r.app_instance_id = w.app_instance_id AND r.resource_type = w.resource_type AND r.external_id = w.external_id
UNION ALL
SELECT w.place, r.id, 'scopedId' ${wanted} AND r.team_id = w.team_id AND r.scoped_id = w.scoped_id
 ORDER BY place`
  },
})

const others = ['organization_id', 'ordinal', 'version']
const given = Object.keys(schema.AppResource.columns).filter((column) => !others.includes(column))

/** A set from outside: Prisma would plan the creation of a thousand for 200 ms, in one turn of the event loop. */
const insert = createQuery<Rows>({
  name: 'insert_app_resources',
  columns: {},
  text: ({ organizationId, rows }) => Prisma.sql`
INSERT INTO app_resources (organization_id, ${Prisma.raw(given.join())})
SELECT ${organizationId}, ${Prisma.raw(given.join())}
  FROM ${rowsOfJson(rows, 'r', typesOf(given))}
 ORDER BY r.place`,
})

/** The standard methods; updates are batches. A new resource gets its team from its app instance. */
export const appResourceStore = createStandardStore(appResourceResource, {
  ownerColumn: 'app_instance_id',
  searched: 'name',
})

/**
 * Locks teams and app instances until the transaction ends, and returns the ids of the app instances that still exist.
 * Called after resources are locked, and teams before app instances, so that all transactions lock in the same order.
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
export async function updateAppResources(
  transaction: Tables,
  organizationId: string,
  changes: readonly AppResourceUpdate[],
): Promise<string> {
  const ids = changes.map(({ id }) => id)
  const given = JSON.stringify(changes, ['id', ...changeable])
  return (await update(transaction, { organizationId, ids, changes: given }))?.json ?? '[]'
}

export async function createAppResources(
  tables: Tables,
  organizationId: string,
  rows: readonly NewAppResource[],
): Promise<void> {
  // A cluster would give each row an ordinal first, and commit them in two phases.
  if (!tables.isDistributed) return void (await insert(tables, { organizationId, rows: JSON.stringify(rows) }))
  await tables.models.appResource.createMany({ data: rows.map((row) => ({ ...row, organizationId })) })
}
