import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { ManagedMember } from './manager-chain.js'

/** The new values of one member that not every member can have; null for those that stay. */
export interface MemberValues {
  readonly organizationId: string
  readonly userId: string
  /** The version of the row for which the values were decided. */
  readonly rowVersion: string
  readonly managerUserId: string | null
  readonly email: string | null
  readonly emailKey: string | null
  readonly userNameKey: string | null
  readonly primaryPhone: string | null
}

/** A member of a chain of managers, with the name to be shown, which may be empty. */
type NamedManager = ManagedMember & { readonly name: string }

/** Who has values that a member is to get, as long as the transaction lasts. */
export interface ValueHolders {
  /** The new manager and everyone above, all the way up; null if there is no such member. */
  readonly managerChain: readonly NamedManager[] | null
  readonly phoneHolderId: string | null
  readonly nameHolderId: string | null
  readonly emailHolderId: string | null
  readonly emailHolderName: string | null
}

const holderColumns = {
  managerChain: 'json',
  phoneHolderId: 'text',
  nameHolderId: 'text',
  emailHolderId: 'text',
  emailHolderName: 'text',
} as const

const holders = Prisma.sql`h.manager_chain AS "managerChain", h.phone_holder_id AS "phoneHolderId",
       h.name_holder_id AS "nameHolderId", h.email_holder_id AS "emailHolderId",
       h.email_holder_name AS "emailHolderName"`

/** What is true of these values until the transaction ends. */
export interface MemberValuesRow extends ValueHolders {
  /** Whether the row still has that version; otherwise nothing else is known. */
  readonly isCurrent: boolean
  /** Whether the person belongs to several organizations. */
  readonly isShared: boolean
}

const hold = createStatement<MemberValues, MemberValuesRow>({
  name: 'hold_member_values',
  columns: { isCurrent: 'bool', isShared: 'bool', ...holderColumns },
  text: (values) => Prisma.sql`
SELECT h.is_current AS "isCurrent", h.is_shared AS "isShared", ${holders}
  FROM hold_member_values(
         ${values.organizationId}, ${values.userId}, ${values.rowVersion}, ${values.managerUserId}, ${values.email},
         ${values.emailKey}, ${values.userNameKey}, ${values.primaryPhone}) h`,
})

/** The values of somebody who joins. */
export interface NewMemberValues extends Omit<MemberValues, 'userId' | 'rowVersion'> {
  /** The id of the person. */
  readonly newUserId: string
  readonly email: string
  readonly emailKey: string
}

/** What is true of them until the transaction ends, and who joins: null if a member has the address. */
export interface NewMemberRow extends ValueHolders {
  readonly personId: string | null
  readonly personEmail: string | null
}

const holdNew = createStatement<NewMemberValues, NewMemberRow>({
  name: 'hold_new_member',
  columns: { personId: 'text', personEmail: 'text', ...holderColumns },
  text: (values) => Prisma.sql`
SELECT h.person_id AS "personId", h.person_email AS "personEmail", ${holders}
  FROM hold_new_member(
         ${values.organizationId}, ${values.newUserId}, ${values.managerUserId}, ${values.email}, ${values.emailKey},
         ${values.userNameKey}, ${values.primaryPhone}) h`,
})

/** The statements of this file. */
export const memberValuesStatements = [hold, holdNew]

/**
 * Locks, in the one order of locks, what the new values of a member need: managers, both email addresses, the member,
 * the phone number. Gives the person the new address if nobody else in the organization has it and the person belongs to
 * no other one. A transaction that has locked the member already may ask for a phone number and a user name alone.
 */
export async function holdMemberValues(transaction: Tables, values: MemberValues): Promise<MemberValuesRow> {
  const [row] = await transaction.run(hold, values)
  if (row === undefined) throw new Error('the values of a member are not held')
  return row
}

/**
 * Locks, in the one order of locks, what the values of a new member need, and adds the person, whoever has the
 * address in another organization.
 */
export async function holdNewMember(transaction: Tables, values: NewMemberValues): Promise<NewMemberRow> {
  const [row] = await transaction.run(holdNew, values)
  if (row === undefined) throw new Error('the values of a new member are not held')
  return row
}
