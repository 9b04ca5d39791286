import { invalidField, ServiceError } from '../../errors.js'
import type { ValueHolder } from '../../store/member-value.js'
import type { TeamRoleRow } from '../../store/team-member.js'
import { roleBeyond } from '../auth/role-limits.js'
import { administratorMissing, permissionMissing, rightEndIn } from '../caller/caller.js'
import { emailKeyOf, userNameKeyOf } from '../value/email-address.js'
import { takenValueError } from '../value/taken-value.js'
import type { LockedMembers } from './lock.js'
import { isActive, isActiveAdministrator, type Member, type MemberChange, type MemberWriter } from './member.js'
import { otherHolder } from './value-holders.js'

/** The fault of an address that is changed together with other fields. */
export const EMAIL_ALONE = 'must be the only change in a request: send the other changes separately'

/** The facts on which changes outside the profile depend. */
type AccountFacts = Pick<LockedMembers, 'now' | 'teamRoles' | 'emails' | 'userNames' | 'externalIds'>

/**
 * Applies the changes of a member outside the profile: role, email address, activation, directory account. Throws
 * `OWN_ROLE`, `PERMISSION_MISSING`, the reasons about deactivation and emails, and `EMAIL_TAKEN` for a user name.
 */
export function withAccountState(
  writer: MemberWriter,
  member: Member,
  change: MemberChange,
  locked: AccountFacts,
): Member {
  const { actor } = writer
  const { role = member.role, active = isActive(member), userName } = change
  if (role !== member.role && actor.kind === 'USER' && actor.id === member.userId) {
    throw new ServiceError('OWN_ROLE', 'users cannot change their own role: omit it, or ask another administrator')
  }
  if (role !== member.role && (role === 'ORG_ADMIN' || member.role === 'ORG_ADMIN')) requireAdministrators(writer)
  if (role !== member.role && role === 'ORG_ADMIN') requireUnendingRight(writer)
  if (active !== isActive(member)) requireActivation(writer, member)
  if (change.endsSessions && member.role === 'ORG_ADMIN') requireAdministrators(writer)
  if (userName !== undefined) requireUserName(locked, member, userName)
  const { directoryExternalId } = change.directory ?? {}
  if (directoryExternalId && otherHolder(locked.externalIds, directoryExternalId, member.userId) !== undefined)
    throw takenValueError('external id of member')
  return {
    ...member,
    ...change.directory,
    role,
    email: changedEmail(writer, member, change, locked),
    directoryManaged: member.directoryManaged || actor.kind === 'DIRECTORY',
    deactivatedAt: active ? null : (member.deactivatedAt ?? locked.now),
    sessionsEndedAt: endsSessions(member, change, active) ? locked.now : member.sessionsEndedAt,
  }
}

/**
 * Whether a change ends all tokens that were issued so far. A deactivation does, and so does a reactivation if the
 * deactivation did not record it.
 */
function endsSessions(member: Member, change: MemberChange, active: boolean): boolean {
  const { deactivatedAt, sessionsEndedAt } = member
  if (deactivatedAt === null) return change.endsSessions === true || !active
  return change.endsSessions === true || (active && (sessionsEndedAt === null || sessionsEndedAt < deactivatedAt))
}

/**
 * Refuses a directory user name that belongs to another member. A member without a user name goes by the email address,
 * so no unique constraint covers both.
 */
function requireUserName({ emails, userNames }: AccountFacts, { userId }: Member, userName: string): void {
  const isAddress = otherHolder(emails, emailKeyOf(userName), userId)?.hasUserName === false
  if (isAddress || otherHolder(userNames, userNameKeyOf(userName), userId) !== undefined)
    throw takenValueError('user name of member')
}

/**
 * The change that takes the given names from a member who has them, so that another can get them. Undefined if it has
 * none of them, if the directory has not deleted the member, or if its address cannot change. The address is replaced
 * by one that cannot exist (RFC 2606), made from `id`.
 */
export function givingUp(
  { userId, email, inSeveralOrganizations, directoryUserName, directoryExternalId, directoryDeletedAt }: Member,
  names: Readonly<Record<'email' | 'userName' | 'externalId', string>>,
  id: string,
): MemberChange | undefined {
  const hasEmail = emailKeyOf(email) === emailKeyOf(names.email)
  const hasExternalId = directoryExternalId === names.externalId
  const hasUserName =
    directoryUserName === null
      ? emailKeyOf(email) === emailKeyOf(names.userName)
      : userNameKeyOf(directoryUserName) === userNameKeyOf(names.userName)
  const hasAny = hasEmail || hasExternalId || hasUserName
  if (directoryDeletedAt === null || !hasAny || (hasEmail && inSeveralOrganizations)) return undefined
  const directory = {
    ...(hasExternalId && { directoryExternalId: null }),
    ...(hasUserName && { directoryUserName: id }),
  }
  return { target: { userId }, commands: [], directory, ...(hasEmail && { email: `${id}@deleted.invalid` }) }
}

/**
 * The member's address after the change. Another spelling in upper or lower case is no change, unless it comes from the
 * directory. Throws, in this order, `PERMISSION_MISSING`, `EMAIL_CHANGE_NOT_ALONE` and `EMAIL_MANAGED_BY_DIRECTORY`,
 * which do not apply to the directory itself, `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`, and `EMAIL_TAKEN` with the holder.
 */
function changedEmail(
  writer: MemberWriter,
  member: Member,
  { email = member.email, role, active, commands }: MemberChange,
  { emails, teamRoles }: AccountFacts,
): string {
  const emailKey = emailKeyOf(email)
  const { actor, rights } = writer
  if (emailKey === emailKeyOf(member.email)) return actor.kind === 'DIRECTORY' ? email : member.email
  if (rights === 'profiles') throw permissionMissing('users:write')
  if (member.role === 'ORG_ADMIN') {
    requireAdministrators(writer)
    requireUnendingRight(writer)
  }
  requireRightsOf(
    writer,
    teamRoles.filter(({ userId }) => userId === member.userId),
  )
  if (actor.kind !== 'DIRECTORY') {
    // Any other field counts, whatever its value: even writing the current value may take ownership.
    if (role !== undefined || active !== undefined || commands.length > 0) {
      throw invalidField('email', EMAIL_ALONE, 'EMAIL_CHANGE_NOT_ALONE')
    }
    if (member.directoryManaged) {
      const advice = 'the user comes from the directory: change the email address in the identity provider'
      throw new ServiceError('EMAIL_MANAGED_BY_DIRECTORY', advice)
    }
  }
  if (member.inSeveralOrganizations) throw sharedBetweenOrganizations()
  const holder = otherHolder(emails, emailKey, member.userId)
  if (holder !== undefined) throw emailTaken(holder)
  return email
}

/** Refuses a writer who may not change who is an administrator, or an administrator's address and access. */
function requireAdministrators({ rights }: MemberWriter): void {
  if (rights === 'administrators') return
  throw administratorMissing(
    'grant or revoke the administrator role, or change the email address of an administrator, deactivate or reactivate one, or end the sessions of one',
  )
}

/** Refuses a caller whose rights end before those of an administrator, which do not. */
function requireUnendingRight({ caller }: MemberWriter): void {
  const end = caller === undefined ? null : rightEndIn(caller, null)
  if (end === null) return
  throw new ServiceError(
    'PERMISSION_MISSING',
    `the API key ends at ${end.toISOString()}, and an administrator's role does not: use a credential that does not end`,
  )
}

/** Refuses a caller who has less than the roles of a member: who has an address signs in as the member. */
function requireRightsOf({ caller }: MemberWriter, roles: readonly TeamRoleRow[]): void {
  for (const role of roles) {
    const beyond = caller && roleBeyond(caller, role)
    if (beyond === undefined) continue
    const message = `the user has the role ${role.role} in team ${role.teamId}, which gives more than the caller has`
    throw new ServiceError('PERMISSION_MISSING', `${message}: ${beyond.message}`, { metadata: beyond.metadata })
  }
}

export type EmailHolder = Pick<ValueHolder, 'userId' | 'name'>

/** The error for an address that a member of the organization already has (docs/field-ownership.md). */
export function emailTaken({ userId, name }: EmailHolder): ServiceError {
  const holder = name === '' ? `user ${userId}` : `${name} (user ${userId})`
  const message = `the email address belongs to ${holder}: choose another one, or update that user`
  return new ServiceError('EMAIL_TAKEN', message, { metadata: { holderId: userId, holderName: name } })
}

function sharedBetweenOrganizations(): ServiceError {
  return new ServiceError(
    'EMAIL_SHARED_BETWEEN_ORGANIZATIONS',
    'the user belongs to several organizations, so none of them can change the email address: leave it unchanged',
  )
}

/**
 * Refuses a writer who may not deactivate or reactivate a member. Throws `PERMISSION_MISSING` for an administrator, and
 * `OWN_DEACTIVATION` and `USER_MANAGED_BY_DIRECTORY`, which do not apply to the directory itself.
 */
function requireActivation(writer: MemberWriter, member: Member): void {
  if (member.role === 'ORG_ADMIN') requireAdministrators(writer)
  const { actor } = writer
  if (actor.kind === 'USER' && actor.id === member.userId) {
    throw new ServiceError('OWN_DEACTIVATION', 'users cannot deactivate themselves: ask another administrator')
  }
  if (member.directoryManaged && actor.kind !== 'DIRECTORY') {
    throw new ServiceError(
      'USER_MANAGED_BY_DIRECTORY',
      'the user comes from the directory: deactivate or reactivate the user in the identity provider',
    )
  }
}

/**
 * Refuses a change that would leave the organization without an active administrator. `administrators` are the active
 * ones (`LockedMembers`), undefined if the change is allowed anyway. Throws `LAST_ADMINISTRATOR`.
 */
export function requireAdministratorLeft(
  administrators: ReadonlySet<string> | undefined,
  before: Member,
  after: Member,
): void {
  const isEnding = isActiveAdministrator(before) && !isActiveAdministrator(after)
  if (isEnding && administrators !== undefined && [...administrators].every((id) => id === before.userId)) {
    throw lastAdministrator()
  }
}

function lastAdministrator(): ServiceError {
  return new ServiceError(
    'LAST_ADMINISTRATOR',
    'the user is the only active administrator of the organization: make another user an administrator first',
  )
}

/**
 * Whether the tokens of a member are to be deleted. A deactivation does not delete them: the tokens of deactivated
 * members are refused, and deleted on reactivation.
 */
export function isSignedOut(before: Member, member: Member): boolean {
  if (isActive(before) && !isActive(member)) return false
  return member.sessionsEndedAt !== before.sessionsEndedAt || (isActive(member) && !isActive(before))
}
