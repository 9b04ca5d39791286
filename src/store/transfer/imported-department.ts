import { Prisma } from '../../../gen/prisma/client.js'
import type { DepartmentOptionModel } from '../../../gen/prisma/models.js'
import type { PreparedTransaction } from '../../db/queryable.js'
import { createPreparedStatement } from '../../db/statement.js'

/** A department that staged people have and their organization does not offer. */
export type ImportedDepartment = Pick<DepartmentOptionModel, 'organizationId' | 'name'>

const find = createPreparedStatement<object, ImportedDepartment>({
  name: 'find_imported_departments',
  reason: 'set',
  columns: { organizationId: 'text', name: 'text' },
  text: () => Prisma.sql`
SELECT DISTINCT s.organization_id AS "organizationId", s.department AS name
  FROM staged_user s
  LEFT JOIN department_options d ON d.organization_id = s.organization_id AND d.name = s.department
 WHERE s.department <> '' AND d.id IS NULL
 ORDER BY s.organization_id, s.department`,
})

interface NewDepartments {
  readonly ids: readonly string[]
  readonly organizationIds: readonly string[]
  readonly names: readonly string[]
}

const add = createPreparedStatement<NewDepartments, Record<never, never>>({
  name: 'add_imported_departments',
  reason: 'set',
  columns: {},
  text: ({ ids, organizationIds, names }) => Prisma.sql`
INSERT INTO department_options (id, organization_id, name)
SELECT * FROM unnest(${ids}::text[], ${organizationIds}::text[], ${names}::text[])
    ON CONFLICT (organization_id, name) DO NOTHING`,
})

/** The statements of this file. */
export const importedDepartmentStatements = [find, add]

/** Adds the departments of the staged people to what profiles of their organizations can name. */
export async function addImportedDepartments(transaction: PreparedTransaction, newId: () => string): Promise<void> {
  const missing = await transaction.run(find, {})
  await transaction.run(add, {
    ids: missing.map(newId),
    organizationIds: missing.map(({ organizationId }) => organizationId),
    names: missing.map(({ name }) => name),
  })
}
