import type { UserRole } from '../../../gen/prisma/enums.js'
import type { AuditAction } from '../../store/audit-action.js'
import type { Actor } from '../audit/audit-event.js'
import type { FieldChange, FieldCommand, GovernedField } from '../profile/field-ownership.js'
import type { Member } from './member.js'
import type { MemberVersions } from './member-version.js'

/**
 * What a writer may change of members beside governed fields: nothing; the role and the address of everyone but
 * administrators; or those of administrators too, and who is one.
 */
export type MemberRights = 'profiles' | 'members' | 'administrators'

/** Who changes members of an organization, and how. */
export interface MemberWriter {
  readonly organizationId: string
  readonly actor: Actor
  /** Default `profiles`. */
  readonly rights?: MemberRights
  /**
   * The action in the audit log for a write of governed fields, such as `user.update`; for a new member, `user.create`.
   */
  readonly action: AuditAction
  /** The request's name for the manager; default `managerUserId`. */
  readonly managerField?: string
  /**
   * Whether source profiles are published. They name managers by address. A phone number of another member, or a
   * manager who cannot be assigned, is left out instead of refused. Each leaves an event, even if nothing changes.
   */
  readonly isPublication?: boolean
  /** Whether a single member is written in one statement with the events and the departments. */
  readonly isAtOnce?: boolean
  /** Whether the single member of a call is printed as it is written. */
  readonly isPrinted?: boolean
}

/**
 * Whom to change: a member by id, or whoever has the email address; if no member has it, a new person joins
 * the organization. `mustJoin` refuses the address of an existing member.
 */
export type MemberTarget = { readonly userId: string } | { readonly email: string; readonly mustJoin?: boolean }

/** What the directory calls a member and says of it, beside the profile; whatever is absent stays as it is. */
export type DirectoryStanding = Partial<
  Pick<Member, 'directoryExternalId' | 'directoryUserName' | 'directoryAttributes' | 'directoryDeletedAt'>
>

/** The change of one member; whatever is absent stays as it is. */
export interface MemberChange {
  readonly target: MemberTarget
  /** The versions in which the member is changed; default all. */
  readonly versions?: MemberVersions | undefined
  /** Commands for governed fields, in this order. */
  readonly commands: readonly FieldCommand[]
  /** A new email address. */
  readonly email?: string | undefined
  readonly role?: UserRole | undefined
  /** False deactivates, true reactivates. */
  readonly active?: boolean | undefined
  /** Only what changes. */
  readonly directory?: DirectoryStanding | undefined
}

/** A member after all changes of a call, and the outcome of one of them. */
export interface ChangedMember<Change extends MemberChange = MemberChange> {
  readonly change: Change
  readonly member: Member
  /** Whether this change added the member to the organization. */
  readonly isNew: boolean
  readonly changes: readonly FieldChange[]
  /** The fields that a publication has left out. */
  readonly leftOut: ReadonlySet<GovernedField>
  /** The JSON of the user, if it was to be printed and something was written. */
  readonly json: string | undefined
}
