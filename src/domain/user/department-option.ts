import type { PreparedQueryable } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import * as departments from '../../store/department-option.js'
import type { Caller } from '../caller/caller.js'
import type { FieldChange, Profile } from '../profile/field-ownership.js'

/** A department that profiles of the organization can name. */
export interface DepartmentOption {
  readonly id: string
  readonly name: string
}

/** The departments of the caller's organization, by name in the order of code points. */
export async function listDepartmentOptions(
  tables: PreparedQueryable,
  { organizationId }: Caller,
): Promise<DepartmentOption[]> {
  const options = await departments.listDepartmentOptions(tables, organizationId)
  // UTF-8 keeps the order of code points, and the order of the database is that of its collation.
  return options.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}

/** The department that a write has saved; undefined where it saved none, or the one that was there. */
export function savedDepartment(profile: Profile, changes: readonly FieldChange[]): string | undefined {
  const isSaved = changes.some(
    ({ field, outcome }) => field === 'DEPARTMENT' && (outcome === 'WRITTEN' || outcome === 'PINNED'),
  )
  return isSaved ? profile.DEPARTMENT.value || undefined : undefined
}

/** Adds departments to the organization's options; those that are there already stay. */
export async function addDepartmentOptions(
  tables: PreparedQueryable,
  organizationId: string,
  names: Iterable<string>,
  runtime: Runtime,
): Promise<void> {
  // In one order everywhere, so that writers who wait for each other's names do not wait in a circle.
  const sorted = [...new Set(names)].sort()
  if (sorted.length === 0) return
  await departments.insertDepartmentOptions(
    tables,
    sorted.map((name) => ({ id: runtime.newId(), organizationId, name })),
  )
}
