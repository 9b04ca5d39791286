import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import * as departments from '../../store/department-option.js'
import type { Scope } from '../caller/scope.js'

/** The JSON of the departments of the caller's organization, by name in the order of code points. */
export function listDepartmentOptions({ reads, caller }: Scope): Promise<string> {
  return departments.printDepartmentOptions(reads, caller.organizationId)
}

/** Adds departments to the organization's options; existing ones stay. */
export async function addDepartmentOptions(
  tables: Tables,
  organizationId: string,
  names: Iterable<string>,
  runtime: Runtime,
): Promise<void> {
  const options = departmentOptionsOf(names, runtime)
  if (options.length > 0) await departments.insertDepartmentOptions(tables, organizationId, options)
}

/** Options with these names, to be added if the organization does not have them. */
export function departmentOptionsOf(names: Iterable<string>, runtime: Runtime): departments.NewDepartmentOption[] {
  // In the same order everywhere, so that writers who wait for each other's names do not deadlock.
  const sorted = [...new Set(names)].sort()
  return sorted.map((name) => ({ id: runtime.newId(), name }))
}
