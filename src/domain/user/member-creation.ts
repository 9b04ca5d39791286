import type { AnyTransaction } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import { lockEmailAddresses } from '../../store/person.js'
import { emptyProfile } from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'
import { newMember } from './member.js'
import { findEmailHolders, insertMembers } from './membership.js'
import { findOrCreatePersons } from './person.js'

/** Members by the key of their address, and the ids of those who were not there before. */
export interface FoundMembers {
  readonly userIds: ReadonlyMap<string, string>
  readonly created: ReadonlySet<string>
}

/**
 * The members of the organization with these addresses; who is none yet becomes one, with an empty profile, in the order
 * given, under the address as it is first spelled. Deactivated members are found as well.
 */
export async function findOrCreateMembers(
  transaction: AnyTransaction,
  organizationId: string,
  emails: readonly string[],
  runtime: Runtime,
): Promise<FoundMembers> {
  const byKey = new Map<string, string>()
  for (const email of emails) if (!byKey.has(emailKeyOf(email))) byKey.set(emailKeyOf(email), email)
  if (byKey.size === 0) return { userIds: new Map(), created: new Set() }
  await lockEmailAddresses(transaction, [...byKey.keys()])
  const holders = await findEmailHolders(transaction, organizationId, [...byKey.keys()])
  const userIds = new Map([...holders].map(([key, { userId }]) => [key, userId]))
  const missing = [...byKey].filter(([key]) => !userIds.has(key)).map(([, email]) => email)
  const persons = await findOrCreatePersons(transaction, missing, runtime)
  const now = runtime.now()
  const members = missing.map((email) => {
    const userId = persons.get(emailKeyOf(email))
    if (userId === undefined) throw new Error('a person was neither found nor made')
    return newMember({ userId, email, role: 'ORG_MEMBER', profile: emptyProfile(now) }, now)
  })
  await insertMembers(transaction, organizationId, members)
  for (const [key, userId] of persons) userIds.set(key, userId)
  return { userIds, created: new Set(persons.values()) }
}
