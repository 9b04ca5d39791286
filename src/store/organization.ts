import type { OrganizationModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { OrganizationSchema } from '../../gen/svc/v2/organization_pb.js'
import type { Tables } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { createFieldRows } from './resource/row.js'

const shown = { id: true, name: true, region: true } as const

export type OrganizationRow = Pick<OrganizationModel, keyof typeof shown>

export const organizationFields = createFieldRows(declareResource(OrganizationSchema, schema.Organization, 'o'))

/** The organization, with its version; null if there is none. */
export function findOrganization({ models }: Tables, id: string) {
  return models.organization.findUnique({ where: { id }, select: { ...shown, version: true } })
}

/** The same, held until the end of the transaction by a write that changes nothing. */
export async function lockOrganization(tables: Tables, id: string) {
  await tables.models.organization.updateMany({ where: { id }, data: { ordinal: { increment: 0 } } })
  return findOrganization(tables, id)
}

export async function renameOrganization({ models }: Tables, id: string, name: string): Promise<void> {
  await models.organization.updateMany({ where: { id }, data: { name, version: { increment: 1 } } })
}

/** The first organization other than `except`; undefined if there is none. */
export async function firstOrganizationId(tables: Tables, except?: string): Promise<string | undefined> {
  const found = await tables.models.organization.findFirst({
    where: except === undefined ? {} : { id: { not: except } },
    orderBy: { ordinal: 'asc' },
    select: { id: true },
  })
  return found?.id
}

/** The oldest organization of a name; undefined if there is none. */
export async function findOrganizationNamed({ models }: Tables, name: string): Promise<string | undefined> {
  const select = { id: true }
  return (await models.organization.findFirst({ where: { name }, orderBy: { ordinal: 'asc' }, select }))?.id
}

/** The ids of at most `take` organizations after `id`, in order; the empty text comes before all. */
export async function organizationIdsAfter(tables: Tables, id: string, take: number): Promise<string[]> {
  const found = await tables.models.organization.findMany({
    where: { id: { gt: id } },
    orderBy: { id: 'asc' },
    select: { id: true },
    take,
  })
  return found.map((organization) => organization.id)
}

/** All organizations, in the order in which they were made. */
export function listOrganizations({ models }: Tables) {
  return models.organization.findMany({ orderBy: { ordinal: 'asc' }, select: shown })
}

/** Ids of up to `most` teams of an organization: two show whether there is more than one. */
export async function firstTeamIds(tables: Tables, organizationId: string, most: number): Promise<string[]> {
  const teams = await tables.models.team.findMany({ where: { organizationId }, select: { id: true }, take: most })
  return teams.map(({ id }) => id)
}

export function findTeamNames({ models }: Tables, organizationId: string, ids: readonly string[]) {
  return models.team.findMany({ where: { organizationId, id: { in: [...ids] } }, select: { id: true, name: true } })
}

export async function hasTeam(tables: Tables, organizationId: string, id: string): Promise<boolean> {
  const where = { organizationId_id: { organizationId, id } }
  return (await tables.models.team.findUnique({ where, select: { id: true } })) !== null
}

/** Rows grouped by their organization, each group in the given order. */
export function byOrganization<Row extends { readonly organizationId: string }>(
  rows: Iterable<Row>,
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.organizationId)
    if (group === undefined) groups.set(row.organizationId, [row])
    else group.push(row)
  }
  return groups
}
