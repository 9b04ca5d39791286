import type { AnyTransaction } from '../../db/queryable.js'
import { lockPhones } from '../../store/phone-claim.js'
import { takenValueError } from '../value/taken-value.js'
import type { Member } from './member.js'
import { findPhoneHolders } from './membership.js'

/**
 * Lets no other transaction give these numbers to members of the organization until this one ends. The constraint is
 * judged at the end of a statement, where two writers of one number wait for each other in a circle; claimed here, the
 * second waits for the first and then sees its row. To be taken after the members are locked.
 */
export async function lockPhoneNumbers(
  transaction: AnyTransaction,
  organizationId: string,
  phones: readonly string[],
): Promise<void> {
  if (phones.length === 0) return
  await lockPhones(transaction, { organizationId, phones })
}

/** Claims the member's number where it is another than `before`. Throws `PHONE_TAKEN` where another member has it. */
export async function claimPhoneNumber(
  transaction: AnyTransaction,
  organizationId: string,
  member: Pick<Member, 'userId' | 'profile'>,
  before: string,
): Promise<void> {
  const phone = member.profile.PRIMARY_PHONE.value
  if (phone === '' || phone === before) return
  await lockPhoneNumbers(transaction, organizationId, [phone])
  const holder = (await findPhoneHolders(transaction, organizationId, [phone])).get(phone)
  if (holder !== undefined && holder !== member.userId) throw takenValueError('phone number of member')
}
