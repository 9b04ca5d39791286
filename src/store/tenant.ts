import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'

/** The parameter of a statement that says whose rows it reads and writes; every such statement calls it so. */
const organizationId: Parameter = { parameter: 'organizationId' }

/**
 * That the row which SQL calls by the alias is of the organization of the statement. Every table of a statement has the
 * condition, in subqueries too, and never by way of another table: where the tables are distributed by organization, the
 * parameter tells for each of them the one place where its rows are.
 */
export function ofOrganization(alias: string): Prisma.Sql {
  return Prisma.sql`${Prisma.raw(alias)}.organization_id = ${organizationId}`
}
