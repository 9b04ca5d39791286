import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'

/** The part of an organization that a caller can reach. */
export interface Scope {
  readonly organizationId: string
  /** `null` means every team of the organization. */
  readonly teamIds: readonly string[] | null
}

/** The condition on a column that names a team; the organization is a separate condition. */
export function inTeams(column: Prisma.Sql, teamIds: Parameter): Prisma.Sql {
  return Prisma.sql`(${teamIds}::text[] IS NULL OR ${column} = ANY (${teamIds}))`
}
