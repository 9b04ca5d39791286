import type { AnyTransaction } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import { insertPersons, lockPersonsByEmail, type PersonRow } from '../../store/person.js'
import { emailKeyOf } from '../value/email-address.js'

/**
 * The persons with these addresses, each once, in the order given: those whom some organization knows, and new ones under
 * the address as it is first spelled. The addresses are locked, and none is a member's of the organization at hand.
 */
export async function findOrAddPersons(
  transaction: AnyTransaction,
  emails: readonly string[],
  runtime: Runtime,
): Promise<PersonRow[]> {
  if (emails.length === 0) return []
  const persons = new Map<string, PersonRow | undefined>(emails.map((email) => [emailKeyOf(email), undefined]))
  // Held, so that none of them changes the address before the membership refers to it.
  const known = await lockPersonsByEmail(transaction, [...persons.keys()])
  // Where import has made several persons with one address, the first is taken.
  for (const person of known.toReversed()) persons.set(person.emailKey, person)
  const added: PersonRow[] = []
  for (const email of emails) {
    const emailKey = emailKeyOf(email)
    if (persons.get(emailKey) !== undefined) continue
    const person = { id: runtime.newId(), email, emailKey }
    persons.set(emailKey, person)
    added.push(person)
  }
  if (added.length > 0) await insertPersons(transaction, added)
  return [...persons.values()].flatMap((person) => person ?? [])
}
