/**
 * The columns of a membership whose values have an owner, in the order of the enum of profile fields: each goes with
 * `…_owner` and `…_owned_since`. The value of the manager itself is in `manager_user_id`.
 */
export const ownedColumns = [
  'first_name',
  'last_name',
  'avatar_url',
  'timezone',
  'locale',
  'department',
  'job_title',
  'manager',
  'primary_phone',
] as const
