import type { Sql } from '../db/sql.js'
import type { Caller } from './caller.js'
import type { FieldChange, Profile } from './field-ownership.js'
import type { Runtime } from './runtime.js'

/** A department that profiles of the organization can name. */
export interface DepartmentOption {
  readonly id: string
  readonly name: string
}

/** The departments of the caller's organization, by name in the order of code points. */
export function listDepartmentOptions(sql: Sql, caller: Caller): Promise<DepartmentOption[]> {
  return sql.query<DepartmentOption>(
    'SELECT id, name FROM department_options WHERE organization_id = $1 ORDER BY name COLLATE "C"',
    [caller.organizationId],
    'list_department_options',
  )
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
  sql: Sql,
  organizationId: string,
  names: Iterable<string>,
  runtime: Runtime,
): Promise<void> {
  // In one order everywhere, so that writers who wait for each other's names do not wait in a circle.
  const sorted = [...new Set(names)].sort()
  if (sorted.length === 0) return
  await sql.execute(
    `INSERT INTO department_options (id, organization_id, name)
     SELECT id, $1, name FROM unnest($2::text[], $3::text[]) AS option (id, name)
      WHERE NOT EXISTS (SELECT FROM department_options o WHERE o.organization_id = $1 AND o.name = option.name)
         ON CONFLICT (organization_id, name) DO NOTHING`,
    [organizationId, sorted.map(() => runtime.newId()), sorted],
    'add_department_options',
  )
}
