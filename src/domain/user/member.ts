import type { UserRole } from '../../../gen/prisma/enums.js'
import { notFound } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import type { AuditAction } from '../../store/audit-action.js'
import type { MemberRow } from '../../store/member.js'
import type { Author } from '../audit/audit-event.js'
import type { Caller } from '../caller/caller.js'
import {
  emptyProfile,
  type FieldChange,
  type FieldCommand,
  type FieldOwner,
  type GovernedField,
} from '../profile/field-ownership.js'

/** A person in one organization, with the governed profile. */
export type Member = MemberRow

/** A member who joins now: active, with an empty profile. */
export function newMember(userId: string, email: string, now: Date): Member {
  return {
    userId,
    email,
    inSeveralOrganizations: false,
    role: 'ORG_MEMBER',
    profile: emptyProfile(now),
    managerAssignedAt: null,
    directoryManaged: false,
    createdAt: now,
    updatedAt: now,
    deactivatedAt: null,
    sessionsEndedAt: null,
    directoryExternalId: null,
    directoryUserName: null,
    directoryAttributes: null,
    directoryDeletedAt: null,
    version: '',
  }
}

/** The member with an id. Throws `RESOURCE_NOT_FOUND`. */
export function memberOf(members: ReadonlyMap<string, Member>, userId: string): Member {
  const member = members.get(userId)
  if (member === undefined) throw notFound('user', userId)
  return member
}

export function isActive({ deactivatedAt }: Member): boolean {
  return deactivatedAt === null
}

export function isActiveAdministrator(member: Member): boolean {
  return member.role === 'ORG_ADMIN' && isActive(member)
}

/**
 * What a writer may change of members beside governed fields: nothing; the role and the address of everyone but
 * administrators; or those of administrators too, and who is one.
 */
export type MemberRights = 'profiles' | 'members' | 'administrators'

/** Who changes members of an organization, by which request, and how. */
export interface MemberWriter extends Author {
  readonly organizationId: string
  readonly runtime: Runtime
  readonly rights: MemberRights
  /** The caller, who gives no more than it has; absent for a directory and an operator. */
  readonly caller?: Caller
  /**
   * The action in the audit log for a write of governed fields, such as `user.update`; for a new member, `user.create`.
   */
  readonly action: AuditAction
  /** The request's name for the manager; default `managerUserId`. */
  readonly managerField?: string
}

/**
 * The member to change: one by id; a new one, who joins as given unless a member has the address; or the one with an
 * email address: if there is none, a new person joins the organization. `mustJoin` refuses the address of an existing
 * member.
 */
export type MemberTarget =
  | { readonly userId: string }
  | { readonly newcomer: Member }
  | { readonly email: string; readonly mustJoin?: boolean }

/** A command for a governed field, where the manager may be named by address. */
export type MemberCommand =
  | FieldCommand
  | {
      readonly kind: 'set manager by email'
      readonly field: 'MANAGER'
      readonly email: string
      readonly as: FieldOwner
    }

/** The values that commands set in a field, in order, without the empty ones, which clear it. */
export function valuesSet(commands: readonly MemberCommand[], field: GovernedField): string[] {
  return commands.flatMap((command) => {
    return command.kind === 'set' && command.field === field && command.value !== '' ? command.value : []
  })
}

/** A member's directory account: names, ids and attributes beside the profile. Absent values stay as they are. */
export type DirectoryAccount = Partial<
  Pick<Member, 'directoryExternalId' | 'directoryUserName' | 'directoryAttributes' | 'directoryDeletedAt'>
>

/** The change of one member; whatever is absent stays as it is. */
export interface MemberChange {
  readonly target: MemberTarget
  /** Commands for governed fields, in this order. */
  readonly commands: readonly MemberCommand[]
  /**
   * How to treat a phone number that another member has, or a manager who cannot be assigned. By default, the whole
   * call is refused; `leave out` leaves the field unchanged, and the change has an audit event even if it changes
   * nothing.
   */
  readonly refusedValues?: 'leave out'
  /** A new email address. */
  readonly email?: string | undefined
  readonly role?: UserRole | undefined
  /** False deactivates, true reactivates. */
  readonly active?: boolean | undefined
  /** Whether tokens that were issued until now end. */
  readonly endsSessions?: true
  /** The new `userName`, if it changes. It must be unique. */
  readonly userName?: string | undefined
  /** Only what changes. */
  readonly directory?: DirectoryAccount | undefined
}

/** A member after a change, and what came of it. */
export interface ChangedMember<Change extends MemberChange = MemberChange> {
  readonly change: Change
  readonly member: Member
  /** Whether this change added the member to the organization. */
  readonly isNew: boolean
  readonly changes: readonly FieldChange[]
  /** The fields that were left out. */
  readonly leftOut: ReadonlySet<GovernedField>
}

export function isRewritten(before: Member, member: Member): boolean {
  return Object.entries(member).some(([name, value]) => Reflect.get(before, name) !== value)
}
