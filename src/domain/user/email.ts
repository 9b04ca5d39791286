import { invalidField, ServiceError } from '../../errors.js'
import type { ValueHolder } from '../../store/member-value.js'
import { administratorMissing, permissionMissing } from '../caller/caller.js'
import { emailKeyOf } from '../value/email-address.js'
import { type HeldMembers, otherHolder } from './hold.js'
import type { Member, MemberChange, MemberWriter } from './member.js'

/**
 * The member's address after the change; case does not count. Throws, in this order, `PERMISSION_MISSING`,
 * `EMAIL_CHANGE_NOT_ALONE` and `EMAIL_MANAGED_BY_DIRECTORY`, which do not apply to the directory itself,
 * `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`, and `EMAIL_TAKEN` with the holder.
 */
export function changedEmail(
  writer: MemberWriter,
  member: Member,
  { email = member.email, role, commands }: MemberChange,
  { emails }: HeldMembers,
): string {
  const emailKey = emailKeyOf(email)
  if (emailKey === emailKeyOf(member.email)) return member.email
  const { actor, rights = 'profiles' } = writer
  if (rights === 'profiles') throw permissionMissing('users:write')
  if (member.role === 'ORG_ADMIN') requireAdministrators(writer)
  if (actor.kind !== 'DIRECTORY') {
    // Any other field counts, whatever its value: even writing the current value may take ownership.
    if (role !== undefined || commands.length > 0) {
      const advice = 'must be the only change in a request: send the other changes separately'
      throw invalidField('email', advice, 'EMAIL_CHANGE_NOT_ALONE')
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
export function requireAdministrators({ rights }: MemberWriter): void {
  if (rights === 'administrators') return
  throw administratorMissing(
    'grant or revoke the administrator role, or change the email address of an administrator, deactivate or reactivate one, or end the sessions of one',
  )
}

/** The error for an address that a member of the organization already has (docs/field-ownership.md). */
export function emailTaken({ userId, name }: ValueHolder): ServiceError {
  const holder = name === '' ? `user ${userId}` : `${name} (user ${userId})`
  const message = `the email address belongs to ${holder}: choose another one, or update that user`
  return new ServiceError('EMAIL_TAKEN', message, { metadata: { holderId: userId, holderName: name } })
}

/** The error for the address of a person whom several organizations have. */
export function sharedBetweenOrganizations(): ServiceError {
  return new ServiceError(
    'EMAIL_SHARED_BETWEEN_ORGANIZATIONS',
    'the user belongs to several organizations, so none of them can change the email address: leave it unchanged',
  )
}
