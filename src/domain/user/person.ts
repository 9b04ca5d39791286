import type { AnyTransaction } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findPersonsByEmail, insertPersons, type PersonRow } from '../../store/person.js'
import { emailKeyOf } from '../value/email-address.js'

/**
 * The persons with these addresses, each once, in the order given: existing ones, and new ones with the address as it
 * is first spelled. The addresses must be locked, and no member of the organization may have one of them.
 */
export async function findOrAddPersons(
  transaction: AnyTransaction,
  emails: readonly string[],
  runtime: Runtime,
): Promise<PersonRow[]> {
  if (emails.length === 0) return []
  const persons = new Map<string, PersonRow | undefined>(emails.map((email) => [emailKeyOf(email), undefined]))
  const known = await findPersonsByEmail(transaction, [...persons.keys()])
  // If imports made several persons with the same address, the first one is used.
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
