import { Prisma } from '../../../gen/prisma/client.js'
import type { DepartmentOptionModel } from '../../../gen/prisma/models.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { byOrganization } from '../by-organization.js'
import { insertDepartmentOptions } from '../department-option.js'

/** A department that staged people have and their organization does not offer yet. */
type ImportedDepartment = Pick<DepartmentOptionModel, 'organizationId' | 'name'>

const find = createStatement<object, ImportedDepartment>({
  name: 'find_imported_departments',
  columns: { organizationId: 'text', name: 'text' },
  text: () => Prisma.sql`
SELECT DISTINCT s.organization_id AS "organizationId", s.department AS name
  FROM staged_user s
  LEFT JOIN department_options d ON d.organization_id = s.organization_id AND d.name = s.department
 WHERE s.department <> '' AND d.id IS NULL
 ORDER BY s.organization_id, s.department`,
})

/** The statements of this file. */
export const importedDepartmentStatements = [find]

/** Adds the departments of the staged people to those that their organizations offer. */
export async function addImportedDepartments(transaction: Tables, newId: () => string): Promise<void> {
  for (const [organizationId, missing] of byOrganization(await transaction.run(find, {}))) {
    const options = missing.map(({ name }) => ({ id: newId(), name }))
    await insertDepartmentOptions(transaction, organizationId, options)
  }
}
