import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { insertPersons, type PersonRow } from '../../store/person.js'
import { emailKeyOf } from '../value/email-address.js'

/**
 * Adds a person for each address, in the order given and with the address as it is first spelled. Whoever has an address
 * in another organization is somebody else. The addresses must be locked, and no member of the organization may have one.
 */
export async function addPersons(
  transaction: Tables,
  emails: readonly string[],
  runtime: Runtime,
): Promise<PersonRow[]> {
  const persons = new Map<string, PersonRow>()
  for (const email of emails) {
    const emailKey = emailKeyOf(email)
    if (!persons.has(emailKey)) persons.set(emailKey, { id: runtime.newId(), email, emailKey })
  }
  if (persons.size > 0) await insertPersons(transaction, [...persons.values()])
  return [...persons.values()]
}
