import { Prisma } from '../../gen/prisma/client.js'
import type { DepartmentOptionModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable, Queryable } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'

/** A department as it is answered. */
export type DepartmentOptionRow = Pick<DepartmentOptionModel, 'id' | 'name'>

/** The departments of an organization, in no order. */
export function selectDepartmentOptions(tables: Queryable, organizationId: string): Promise<DepartmentOptionRow[]> {
  return tables.models.departmentOption.findMany({ where: { organizationId }, select: { id: true, name: true } })
}

interface NewOptions {
  readonly organizationId: string
  readonly ids: readonly string[]
  readonly names: readonly string[]
}

const insert = createPreparedStatement<NewOptions, Record<never, never>>({
  name: 'add_department_options',
  reason: 'set',
  columns: {},
  text: ({ organizationId, ids, names }) => Prisma.sql`
INSERT INTO department_options (id, organization_id, name)
SELECT id, ${organizationId}, name FROM unnest(${ids}::text[], ${names}::text[]) AS option (id, name)
 WHERE NOT EXISTS (
   SELECT FROM department_options o WHERE o.organization_id = ${organizationId} AND o.name = option.name)
    ON CONFLICT (organization_id, name) DO NOTHING`,
})

/** The statements of this file. */
export const departmentOptionStatements = [insert]

/** Adds departments in the order given; those that are there already stay. */
export async function insertDepartmentOptions(
  tables: PreparedQueryable,
  organizationId: string,
  options: readonly DepartmentOptionRow[],
): Promise<void> {
  await tables.run(insert, {
    organizationId,
    ids: options.map(({ id }) => id),
    names: options.map(({ name }) => name),
  })
}
