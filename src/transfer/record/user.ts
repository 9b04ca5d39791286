import type { UserRecord } from '../../../gen/svc/v2/import_record_pb.js'
import { FieldOwner, UserProfileField, UserRole } from '../../../gen/svc/v2/user_pb.js'
import { fieldNames, profileInputFrom, profileValuesOf } from '../../domain/profile/profile-value.js'
import { invalidField, invalidFields } from '../../errors.js'
import { ownedPlaces } from '../../store/owned-column.js'
import { type Row, requireDistinct } from '../../store/resource/row.js'

/** Brings the profile into canonical form, and returns the row: what the record does not give is empty. */
export function settleUser(user: UserRecord): Row {
  if (user.managerUserId && user.managerUserId === user.id) {
    throw invalidField('managerUserId', "must not be the user's own id", 'MANAGER_IS_SELF')
  }
  settleProfile(user)
  const role = UserRole[user.role || UserRole.ORG_MEMBER]
  const profile = ownedPlaces.map(({ value, isNullable }) => [value, user[value] || (isNullable ? null : '')])
  return { email: user.email, role, ...Object.fromEntries(profile), ...ownershipOf(user) }
}

function settleProfile(user: UserRecord): void {
  const { values, violations } = profileValuesOf({ email: user.email, ...profileInputFrom(user) })
  const [violation] = violations
  if (violation !== undefined) throw invalidFields([violation])
  Object.assign(user, Object.fromEntries([...values].map(([field, value]) => [fieldNames[field], value])))
}

/** The owner of each governed field, and since when: automation if the record names none. */
function ownershipOf({ fieldOwnership }: UserRecord): Row {
  requireDistinct(
    fieldOwnership.map(({ field }) => UserProfileField[field]),
    (index) => `fieldOwnership[${index}].field`,
  )
  const owners = new Map(fieldOwnership.map((ownership) => [UserProfileField[ownership.field], ownership]))
  return Object.fromEntries(
    ownedPlaces.flatMap(({ field, owner, since }) => {
      const given = owners.get(field)
      return [
        [owner, FieldOwner[given?.owner ?? FieldOwner.AUTOMATION]],
        [since, given?.since || null],
      ]
    }),
  )
}
