import { Prisma } from '../../gen/prisma/client.js'
import type { DepartmentOptionModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { DepartmentOptionSchema } from '../../gen/svc/v2/user_pb.js'
import type { Tables } from '../db/tables.js'
import { createWholeList, type WholeListRow, wholeListColumns, wholeListText } from './list.js'
import { declareResource } from './resource/resource.js'

const departmentResource = declareResource(DepartmentOptionSchema, schema.DepartmentOption, 'd')

const readList = createWholeList<{ readonly organizationId: string }, WholeListRow>(
  'list_department_options',
  wholeListColumns,
  ({ organizationId }, limit) => Prisma.sql`
SELECT ${wholeListText(departmentResource, Prisma.sql`d.name COLLATE "C"`)}
  FROM (SELECT * FROM department_options WHERE organization_id = ${organizationId} ORDER BY name ${limit}) d`,
)

/** The JSON of the departments of an organization, by name in the order of code points. */
export async function printDepartmentOptions(tables: Tables, organizationId: string): Promise<string> {
  return (await readList(tables, { organizationId }))?.json ?? '[]'
}

/**
 * Adds departments to an organization in the given order; existing ones stay unchanged. They are looked for first,
 * since nearly all exist, and Prisma plans each `createMany` anew (0.4 ms).
 */
export async function insertDepartmentOptions(
  { models }: Tables,
  organizationId: string,
  options: readonly Pick<DepartmentOptionModel, 'id' | 'name'>[],
): Promise<void> {
  if (options.length === 0) return
  const where = { organizationId, name: { in: options.map(({ name }) => name) } }
  const found = await models.departmentOption.findMany({ where, select: { name: true } })
  const known = new Set(found.map(({ name }) => name))
  const data = options.filter(({ name }) => !known.has(name)).map((option) => ({ organizationId, ...option }))
  if (data.length > 0) await models.departmentOption.createMany({ data, skipDuplicates: true })
}
