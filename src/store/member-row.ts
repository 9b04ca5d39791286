import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel, UserModel } from '../../gen/prisma/models.js'
import type { Columns } from '../db/statement.js'

/** A membership as it is written: the values of the profile, who owns them, and what else the organization says. */
export type MembershipRow = Omit<MembershipModel, 'organizationId' | 'emailKey' | 'ordinal'>

/** A membership with the address of the person. */
export type MemberRow = MembershipRow & Pick<UserModel, 'email'>

/** The type of each of its columns. */
export const membershipColumns: Columns<MembershipRow> = {
  userId: 'text',
  createdAt: 'timestamptz',
  role: 'enum user_role',
  managerAssignedAt: 'timestamptz',
  directoryManaged: 'bool',
  deactivatedAt: 'timestamptz',
  firstName: 'text',
  firstNameOwner: 'enum field_owner',
  firstNameOwnedSince: 'timestamptz',
  lastName: 'text',
  lastNameOwner: 'enum field_owner',
  lastNameOwnedSince: 'timestamptz',
  avatarUrl: 'text',
  avatarUrlOwner: 'enum field_owner',
  avatarUrlOwnedSince: 'timestamptz',
  timezone: 'text',
  timezoneOwner: 'enum field_owner',
  timezoneOwnedSince: 'timestamptz',
  locale: 'text',
  localeOwner: 'enum field_owner',
  localeOwnedSince: 'timestamptz',
  department: 'text',
  departmentOwner: 'enum field_owner',
  departmentOwnedSince: 'timestamptz',
  jobTitle: 'text',
  jobTitleOwner: 'enum field_owner',
  jobTitleOwnedSince: 'timestamptz',
  managerUserId: 'text',
  managerOwner: 'enum field_owner',
  managerOwnedSince: 'timestamptz',
  primaryPhone: 'text',
  primaryPhoneOwner: 'enum field_owner',
  primaryPhoneOwnedSince: 'timestamptz',
}

/** A column in a row, in the table, and its type. */
export interface Field {
  readonly name: string
  readonly column: string
  readonly type: string
}

/** The columns of a membership. */
export const membershipFields = Object.entries(membershipColumns).map(
  ([name, type]): Field => ({
    name,
    column: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type: type.replace(/^enum /, ''),
  }),
)
/** Those that change while it is there. */
export const changingFields = membershipFields.filter(({ name }) => name !== 'userId' && name !== 'createdAt')

/** A list with commas that says something of each column. */
export function listOf(some: readonly Field[], text: (field: Field) => string): Prisma.Sql {
  return Prisma.raw(some.map(text).join(', '))
}
