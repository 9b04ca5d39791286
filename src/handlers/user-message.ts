import { create } from '@bufbuild/protobuf'
import {
  FieldOwner,
  type FieldOwnership,
  FieldOwnershipSchema,
  type User,
  UserProfileField,
  UserRole,
  UserSchema,
} from '../../gen/svc/v2/user_pb.js'
import { governedFields } from '../domain/profile/field-ownership.js'
import { type Member, nameOf } from '../domain/user/member.js'

/** A member as the API shows it. */
export function userToMessage(member: Member): User {
  const { profile, deactivatedAt } = member
  return create(UserSchema, {
    id: member.userId,
    email: member.email,
    firstName: profile.FIRST_NAME.value,
    lastName: profile.LAST_NAME.value,
    name: nameOf(member),
    role: UserRole[member.role],
    avatarUrl: profile.AVATAR_URL.value,
    timezone: profile.TIMEZONE.value,
    locale: profile.LOCALE.value,
    department: profile.DEPARTMENT.value,
    jobTitle: profile.JOB_TITLE.value,
    primaryPhone: profile.PRIMARY_PHONE.value,
    managerUserId: profile.MANAGER.value,
    createdAt: member.createdAt.toISOString(),
    ...(deactivatedAt !== null && { deactivatedAt: deactivatedAt.toISOString() }),
    fieldOwnership: governedFields.map(
      (field): FieldOwnership =>
        create(FieldOwnershipSchema, {
          field: UserProfileField[field],
          owner: FieldOwner[profile[field].owner],
          since: profile[field].since.toISOString(),
        }),
    ),
  })
}
