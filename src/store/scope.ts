import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'

/** The part of an organization that a caller reaches. */
export interface Scope {
  readonly organizationId: string
  /** `null` is every team of the organization. */
  readonly teamIds: readonly string[] | null
}

/** The condition of Prisma's models on rows of a team: within the organization, and in one of the teams. */
export function withinScope({ organizationId, teamIds }: Scope): { organizationId: string; teamId?: { in: string[] } } {
  return { organizationId, ...(teamIds !== null && { teamId: { in: [...teamIds] } }) }
}

/** The same condition of a statement on a column that names a team; the organization is a condition of its own. */
export function inTeams(column: Prisma.Sql, teamIds: Parameter): Prisma.Sql {
  return Prisma.sql`(${teamIds}::text[] IS NULL OR ${column} = ANY (${teamIds}))`
}
