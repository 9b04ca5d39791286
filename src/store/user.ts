import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { FieldOwnershipSchema, UserSchema } from '../../gen/svc/v2/user_pb.js'
import { createMemberView } from './member.js'
import { nameIn } from './member-name.js'
import { ownedColumns } from './owned-column.js'
import { type PrintedObject, rowText, versionText } from './resource/print.js'
import { declareResource } from './resource/resource.js'

const ownershipTexts = ownedColumns.map((column) => {
  const ownership = declareResource(FieldOwnershipSchema, schema.Membership, 'm', {
    field: { kind: 'computed', sql: Prisma.raw(`'USER_PROFILE_FIELD_${column.toUpperCase()}'`) },
    owner: `${column}_owner`,
    since: `${column}_owned_since`,
  })
  return rowText(ownership)
})

/** Where the fields of a user are that are not in the membership's column of the same name. */
export const userDeclarations = {
  id: 'user_id',
  name: { kind: 'computed', sql: nameIn('m') },
  fieldOwnership: { kind: 'elsewhere', sql: Prisma.sql`'[' || ${Prisma.join(ownershipTexts, ` || ',' || `)} || ']'` },
} as const

export const userResource = declareResource(UserSchema, schema.Membership, 'm', userDeclarations)

/** A member as a user. */
export const userView = createMemberView<PrintedObject>(
  { find: 'print_user', change: 'change_user' },
  { json: 'text', version: 'text' },
  Prisma.sql`${rowText(userResource)} AS json, ${versionText(userResource)} AS version`,
)
