import type { AnyTransaction } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import { countMembershipsOfLocked, insertPersons, lockPersonsByEmail, updateEmailOfPerson } from '../../store/person.js'
import { emailKeyOf } from '../value/email-address.js'

/**
 * The ids of the persons with these addresses, by the key of the address: those whom some organization knows, and new
 * ones for the others. The addresses are locked and none of them is a member's of the organization at hand.
 */
export async function findOrCreatePersons(
  transaction: AnyTransaction,
  emails: readonly string[],
  runtime: Runtime,
): Promise<Map<string, string>> {
  if (emails.length === 0) return new Map()
  const addresses = new Map(emails.map((email) => [emailKeyOf(email), email]))
  // Held, so that none of them changes the address before the membership refers to it.
  const known = await lockPersonsByEmail(transaction, [...addresses.keys()])
  const ids = new Map<string, string>()
  // Where import has made several persons with one address, the first is taken.
  for (const { id, emailKey } of known) if (!ids.has(emailKey)) ids.set(emailKey, id)
  const unknown = [...addresses].filter(([emailKey]) => !ids.has(emailKey))
  const persons = unknown.map(([emailKey, email]) => ({ id: runtime.newId(), email, emailKey }))
  for (const { id, emailKey } of persons) ids.set(emailKey, id)
  if (persons.length > 0) await insertPersons(transaction, persons)
  return ids
}

/**
 * Holds a person against memberships that other organizations are adding, and tells whether it has several already:
 * whoever adds one holds the person.
 */
export async function lockPerson(transaction: AnyTransaction, userId: string): Promise<{ readonly isShared: boolean }> {
  return { isShared: (await countMembershipsOfLocked(transaction, userId)) > 1 }
}

/** Gives a person another email address, in every membership. The address is locked. */
export async function writeEmailAddress(transaction: AnyTransaction, userId: string, email: string): Promise<void> {
  await updateEmailOfPerson(transaction, { id: userId, email, emailKey: emailKeyOf(email) })
}
