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

/** Reads an organization and locks it until the transaction ends, by a write that changes nothing. */
export async function lockOrganization(tables: Tables, id: string) {
  await tables.models.organization.updateMany({ where: { id }, data: { ordinal: { increment: 0 } } })
  return findOrganization(tables, id)
}

export async function renameOrganization({ models }: Tables, id: string, name: string): Promise<void> {
  await models.organization.updateMany({ where: { id }, data: { name, version: { increment: 1 } } })
}

/** The oldest organization, of a name or other than one if these are given; undefined if there is none. */
export async function firstOrganizationId(
  { models }: Tables,
  where: { readonly name?: string; readonly NOT?: { readonly id: string } } = {},
): Promise<string | undefined> {
  return (await models.organization.findFirst({ where, orderBy: { ordinal: 'asc' }, select: { id: true } }))?.id
}

/** The ids of at most `take` organizations after `id`, in order; the empty text comes before all. */
export async function organizationIdsAfter(tables: Tables, id: string, take: number): Promise<string[]> {
  const after = { where: { id: { gt: id } }, orderBy: { id: 'asc' }, take } as const
  return (await tables.models.organization.findMany({ ...after, select: { id: true } })).map((found) => found.id)
}

/** All organizations, in the order in which they were made. */
export function listOrganizations({ models }: Tables) {
  return models.organization.findMany({ orderBy: { ordinal: 'asc' }, select: shown })
}

/** Teams of an organization, or of all, and with the ids, if these are given; at most so many, or all. */
export function findTeams(
  { models }: Tables,
  { ids, ...of }: { readonly organizationId?: string; readonly ids?: readonly string[] },
  take?: number,
) {
  const where = { ...of, ...(ids && { id: { in: [...ids] } }) }
  return models.team.findMany({ where, select: { id: true, name: true, organizationId: true }, ...(take && { take }) })
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
    const group = groups.get(row.organizationId) ?? []
    groups.set(row.organizationId, group)
    group.push(row)
  }
  return groups
}
