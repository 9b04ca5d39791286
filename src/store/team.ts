import type { Tables } from '../db/tables.js'

/** Ids of up to `most` teams of an organization: two tell whether there is more than one. */
export async function firstTeamIds(tables: Tables, organizationId: string, most: number): Promise<string[]> {
  const teams = await tables.models.team.findMany({ where: { organizationId }, select: { id: true }, take: most })
  return teams.map(({ id }) => id)
}

/** Whether the organization has the team. */
export async function hasTeam(tables: Tables, organizationId: string, id: string): Promise<boolean> {
  const where = { organizationId_id: { organizationId, id } }
  return (await tables.models.team.findUnique({ where, select: { id: true } })) !== null
}
