import type { AnyTransaction } from '../../db/queryable.js'
import { ServiceError } from '../../errors.js'
import { emailKeyOf } from '../value/email-address.js'
import type { Member } from './member.js'
import { type EmailHolder, findEmailHolders } from './membership.js'
import { lockPerson, writeEmailAddress } from './person.js'

/** The error for an address that a member of the organization has; it names the holder (docs/field-ownership.md). */
export function emailTaken({ userId, name }: EmailHolder): ServiceError {
  const holder = name === '' ? `user ${userId}` : `${name} (user ${userId})`
  return new ServiceError(
    'EMAIL_TAKEN',
    `the email address belongs to ${holder}: choose another one, or update that user`,
    {
      metadata: { holderId: userId, holderName: name },
    },
  )
}

/** Whether an address is another one than the member's; case does not count. */
export function isEmailChange(member: Pick<Member, 'email'>, email: string): boolean {
  return emailKeyOf(email) !== emailKeyOf(member.email)
}

/**
 * Changes the address of a person whose membership the transaction has locked. Throws, in this order,
 * `EMAIL_MANAGED_BY_DIRECTORY`, `EMAIL_SHARED_BETWEEN_ORGANIZATIONS` and `EMAIL_TAKEN` with the holder. The address is
 * locked before the membership.
 */
export async function changeEmail(
  transaction: AnyTransaction,
  organizationId: string,
  member: Member,
  email: string,
): Promise<void> {
  if (member.directoryManaged) {
    throw new ServiceError(
      'EMAIL_MANAGED_BY_DIRECTORY',
      'the user comes from the directory: change the email address in the identity provider',
    )
  }
  await renamePerson(transaction, organizationId, member.userId, email)
}

/** The same without the first rule: for the directory itself. */
export async function renamePerson(
  transaction: AnyTransaction,
  organizationId: string,
  userId: string,
  email: string,
): Promise<void> {
  const { isShared } = await lockPerson(transaction, userId)
  if (isShared) {
    throw new ServiceError(
      'EMAIL_SHARED_BETWEEN_ORGANIZATIONS',
      'the user belongs to several organizations, none of which changes the email address: leave it as it is',
    )
  }
  const emailKey = emailKeyOf(email)
  const holder = (await findEmailHolders(transaction, organizationId, [emailKey])).get(emailKey)
  if (holder !== undefined && holder.userId !== userId) throw emailTaken(holder)
  await writeEmailAddress(transaction, userId, email)
}
