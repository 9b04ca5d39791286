import type { PreparedQueryable } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import * as departments from '../../store/department-option.js'
import type { Caller } from '../caller/caller.js'

/** The JSON of the departments of the caller's organization, by name in the order of code points. */
export function listDepartmentOptions(tables: PreparedQueryable, { organizationId }: Caller): Promise<string> {
  return departments.printDepartmentOptions(tables, organizationId)
}

/** Adds departments to the organization's options; existing ones stay. */
export async function addDepartmentOptions(
  tables: PreparedQueryable,
  organizationId: string,
  names: Iterable<string>,
  runtime: Runtime,
): Promise<void> {
  // In the same order everywhere, so that writers who wait for each other's names do not deadlock.
  const sorted = [...new Set(names)].sort()
  if (sorted.length === 0) return
  await departments.insertDepartmentOptions(
    tables,
    organizationId,
    sorted.map((name) => ({ id: runtime.newId(), name })),
  )
}
