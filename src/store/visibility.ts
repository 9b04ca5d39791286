import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'

/** The part of an organization that a caller can reach. */
export interface Visibility {
  readonly organizationId: string
  /** `null` means every team of the organization. */
  readonly teamIds: readonly string[] | null
}

/** The condition on a column that names a team; the organization is a separate condition. */
export function inTeams(column: Prisma.Sql, teamIds: Parameter): Prisma.Sql {
  return Prisma.sql`(${teamIds}::text[] IS NULL OR ${column} = ANY (${teamIds}))`
}

/**
 * The condition that a column has one of some values. The inner `SELECT` hides from the planner how many there are, so
 * that PostgreSQL keeps a plan, which finds each by an index, for one value and for many: a plan for each list would
 * take several times as long as finding one row.
 */
export function isOneOf(column: Prisma.Sql, values: Parameter, type = 'text'): Prisma.Sql {
  const list = Prisma.raw(`${type}[]`)
  return Prisma.sql`${column} = ANY ((SELECT ${values}::${list})::${list})`
}

/** The parameter that names the organization whose rows a statement reads and writes; it is the same in all of them. */
export const organizationId: Parameter = { parameter: 'organizationId' }

/**
 * The condition that the row with this alias belongs to the statement's organization. Every table of a statement needs
 * it, in subqueries too, and never indirectly through another table: if the tables are distributed by organization, the
 * parameter leads for each of them to the one place where its rows are.
 */
export function ofOrganization(alias: string): Prisma.Sql {
  return Prisma.sql`${Prisma.raw(alias)}.organization_id = ${organizationId}`
}
