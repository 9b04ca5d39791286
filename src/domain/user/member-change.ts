import type { UserRole } from '../../../gen/prisma/enums.js'
import type { Actor } from '../audit/audit-event.js'
import type { FieldChange, FieldCommand, GovernedField } from '../profile/field-ownership.js'
import type { Member } from './member.js'

/** Who changes members of an organization, and how. */
export interface MemberWriter {
  readonly organizationId: string
  readonly actor: Actor
  /** What the audit log calls a write of governed fields, such as `user.update`; that of a new member is `user.create`. */
  readonly action: string
  /** What the request calls the manager; default `managerUserId`. */
  readonly managerField?: string
  /**
   * Whether source profiles are published. They name managers by address; a phone number of another member and a manager
   * who cannot be assigned are left out, which is refused elsewhere; and each leaves an event, whatever it changes.
   */
  readonly isPublication?: boolean
  /** Whether the one member of a call is printed as it is written. */
  readonly isPrinted?: boolean
}

/**
 * Whom to change: a member, or who has the email address, who joins the organization where no member has it.
 * `mustJoin` refuses the address of a member.
 */
export type MemberTarget = { readonly userId: string } | { readonly email: string; readonly mustJoin?: boolean }

/** What is to become of one member; what is absent stays as it is. */
export interface MemberChange {
  readonly target: MemberTarget
  /** What is to happen to governed fields, in this order. */
  readonly commands: readonly FieldCommand[]
  /** Another email address. */
  readonly email?: string | undefined
  readonly role?: UserRole | undefined
  /** False deactivates, true reactivates. */
  readonly active?: boolean | undefined
}

/** A member after all changes of a call, and what one of them has done. */
export interface ChangedMember<Change extends MemberChange = MemberChange> {
  readonly change: Change
  readonly member: Member
  /** Whether this change has brought the member into the organization. */
  readonly isNew: boolean
  readonly changes: readonly FieldChange[]
  /** The fields that a publication has left out. */
  readonly leftOut: ReadonlySet<GovernedField>
  /** The JSON of the user, where it was to be printed and something was written. */
  readonly json: string | undefined
}
