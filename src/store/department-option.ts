import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { DepartmentOptionSchema } from '../../gen/svc/v2/user_pb.js'
import { createLookUp, firstRow, type Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { listText } from './resource/text.js'
import { createRowLock } from './row-lock.js'
import { escapedPattern } from './search.js'

const table = schema.DepartmentOption
const departmentResource = declareResource(DepartmentOptionSchema, table, 'd')

/** The departments of an organization, by name in the order of code points. */
export const printDepartmentOptions = createLookUp<{ readonly organizationId: string }, PrintedRow>({
  name: 'list_department_options',
  columns: { json: 'text' },
  text: ({ organizationId }) => Prisma.sql`
SELECT ${listText(rowText(departmentResource), Prisma.sql`d.name COLLATE "C"`)} AS json
  FROM department_options d WHERE d.organization_id = ${organizationId}`,
})

/** By what the names of departments are compared: without case. */
function nameKeyOf(name: string): string {
  return name.normalize('NFC').trim().toLowerCase()
}

const findTaken = createRowLock({ table, strength: 'KEY SHARE', read: ['nameKey'], key: 'name_key' })

/** Prisma blocks others while it plans a query: 0.2 ms for each row. */
const AT_ONCE = 50

/**
 * Adds the departments that members get to an organization, in one order everywhere, so that writers do not deadlock.
 * Existing ones stay unchanged, whatever the case of their names, and cannot be deleted until the transaction ends.
 * They are looked up first, since nearly all exist, and Prisma plans each `createMany` anew (0.4 ms).
 */
export async function insertDepartmentOptions(
  { models, run }: Tables,
  organizationId: string,
  names: readonly string[],
  newId: () => string,
): Promise<void> {
  const byKey = new Map(names.map((name) => [nameKeyOf(name), name.normalize('NFC').trim()]))
  byKey.delete('')
  if (byKey.size === 0) return
  const existing = await run(findTaken, { organizationId, ids: [...byKey.keys()] })
  for (const { nameKey } of existing) byKey.delete(nameKey ?? '')
  const keys = [...byKey.keys()].sort()
  const data = keys.map((nameKey) => ({ organizationId, id: newId(), name: byKey.get(nameKey) ?? nameKey, nameKey }))
  for (let start = 0; start < data.length; start += AT_ONCE) {
    await models.departmentOption.createMany({ data: data.slice(start, start + AT_ONCE), skipDuplicates: true })
  }
}

const lock = createRowLock({ table, strength: 'UPDATE', read: ['id', 'name'] })

/** Locks a department of an organization; undefined if there is none with the id. */
export async function lockDepartmentOption(tables: Tables, organizationId: string, id: string) {
  return firstRow(tables, lock, { organizationId, ids: [id] })
}

/** Somebody who has a department, in whatever case it is written; undefined if nobody has. */
export async function findMemberOfDepartment({ models }: Tables, organizationId: string, name: string) {
  const where = { organizationId, department: { equals: escapedPattern(name), mode: 'insensitive' } } as const
  return (await models.membership.findFirst({ where, select: { userId: true } })) ?? undefined
}

export async function deleteDepartmentOption({ models }: Tables, organizationId: string, id: string): Promise<void> {
  await models.departmentOption.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } })
}
