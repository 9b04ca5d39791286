import { isConstraint } from '../db/errors.js'

/** Constraints, by their names in the schema, and what they keep unique. */
const values = [
  ['app_resources_external_id_unique', 'external id of resource'],
  ['app_resources_scoped_id_unique', 'short handle of resource'],
  ['priorities_scoped_id_unique', 'short handle of priority'],
  ['memberships_email_unique', 'email address of member'],
  ['memberships_primary_phone_unique', 'phone number of member'],
  ['memberships_directory_external_id_unique', 'external id of member'],
  ['memberships_folded_user_name_unique', 'user name of member'],
  ['groups_directory_external_id_unique', 'external id of group'],
] as const

/** A value that callers choose and that no two rows of one owner share. */
export type UniqueValue = (typeof values)[number][1]

/** The value that a violated constraint keeps unique; undefined if callers do not choose it. */
export function uniqueValueOf(constraint: string): UniqueValue | undefined {
  return values.find(([name]) => isConstraint(constraint, name))?.[1]
}
