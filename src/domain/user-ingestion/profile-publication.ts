import type { AnyTransaction } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import {
  commandsOfIngestion,
  type FieldChange,
  type GovernedField,
  isChanged,
  writeProfile,
} from '../profile/field-ownership.js'
import { addDepartmentOptions, savedDepartment } from '../user/department-option.js'
import { type ManagerChains, managerFault, readManagerChains } from '../user/manager-chain.js'
import { type Member, withProfile } from '../user/member.js'
import { findEmailHolders, findPhoneHolders, lockMembers, updateMembers } from '../user/membership.js'
import { lockPhoneNumbers } from '../user/phone-claim.js'
import { emailKeyOf } from '../value/email-address.js'

/** What a source supplies of one member: canonical values, and the manager's address, empty to clear. */
export interface Publication {
  readonly userId: string
  readonly supplied: ReadonlyMap<GovernedField, string>
  readonly managerEmail: string | undefined
}

/** What a publication has done, and what of it was left out (docs/field-ownership.md). */
export interface PublicationResult<P extends Publication> {
  readonly publication: P
  readonly changes: readonly FieldChange[]
  readonly skippedPhone: boolean
  readonly unresolvedManager: boolean
}

/** The members after all publications, by id, and one result per publication, in their order. */
export interface Publishing<P extends Publication> {
  readonly members: ReadonlyMap<string, Member>
  readonly results: readonly PublicationResult<P>[]
}

/**
 * Publishes source profiles as automation, one after the other, and their managers after all of them. Managers must be
 * locked where one is supplied; the members exist.
 */
export async function publishProfiles<P extends Publication>(
  transaction: AnyTransaction,
  organizationId: string,
  publications: readonly P[],
  runtime: Runtime,
): Promise<Publishing<P>> {
  const held = await lockMembers(transaction, organizationId, [...new Set(publications.map(({ userId }) => userId))])
  const members = new Map(held.map((member) => [member.userId, member]))
  const now = runtime.now()
  const supplied = suppliedPhones(publications)
  await lockPhoneNumbers(transaction, organizationId, supplied)
  const phones = await findPhoneHolders(transaction, organizationId, supplied)
  const written = publications.map((publication) => ({
    publication,
    ...publishFields(members, phones, publication, now),
  }))
  const managers = await findManagers(transaction, organizationId, publications)
  const chains = await readManagerChains(transaction, organizationId, [...new Set(managers.values())])
  const results = written.map(({ publication, changes, skippedPhone }): PublicationResult<P> => {
    const manager = publishManager(members, { managers, chains }, publication, now)
    return {
      publication,
      changes: [...changes, ...manager.changes],
      skippedPhone,
      unresolvedManager: manager.isUnresolved,
    }
  })
  const changed = new Set(
    results.filter(({ changes }) => isChanged(changes)).map((result) => result.publication.userId),
  )
  await updateMembers(
    transaction,
    organizationId,
    [...changed].map((userId) => memberOf(members, userId)),
  )
  const departments = written.flatMap(({ department }) => department ?? [])
  await addDepartmentOptions(transaction, organizationId, departments, runtime)
  return { members, results }
}

function suppliedPhones(publications: readonly Publication[]): string[] {
  return publications.flatMap(({ supplied }) => supplied.get('PRIMARY_PHONE') ?? []).filter((phone) => phone !== '')
}

interface WrittenFields {
  readonly changes: readonly FieldChange[]
  readonly skippedPhone: boolean
  readonly department: string | undefined
}

/** Writes what is supplied but the manager into `members`; `phones` follows. */
function publishFields(
  members: Map<string, Member>,
  phones: Map<string, string>,
  { userId, supplied }: Publication,
  now: Date,
): WrittenFields {
  const member = memberOf(members, userId)
  const phone = supplied.get('PRIMARY_PHONE') ?? ''
  const holder = phones.get(phone)
  // A number that is pinned or locked is not written anyway, and is told as that.
  const isPhoneTaken = holder !== undefined && holder !== userId && member.profile.PRIMARY_PHONE.owner === 'AUTOMATION'
  const values = new Map(supplied)
  if (isPhoneTaken) values.delete('PRIMARY_PHONE')
  const { profile, changes } = writeProfile(member.profile, commandsOfIngestion(values), now)
  members.set(userId, withProfile(member, profile, now))
  const heldPhone = member.profile.PRIMARY_PHONE.value
  const newPhone = profile.PRIMARY_PHONE.value
  if (newPhone !== heldPhone) {
    phones.delete(heldPhone)
    if (newPhone !== '') phones.set(newPhone, userId)
  }
  return { changes, skippedPhone: isPhoneTaken, department: savedDepartment(profile, changes) }
}

/** The ids of the managers who are supplied and known, by the key of the address. */
async function findManagers(
  transaction: AnyTransaction,
  organizationId: string,
  publications: readonly Publication[],
): Promise<Map<string, string>> {
  const keys = publications.flatMap(({ managerEmail }) => (managerEmail ? [emailKeyOf(managerEmail)] : []))
  if (keys.length === 0) return new Map()
  const holders = await findEmailHolders(transaction, organizationId, keys)
  return new Map([...holders].map(([key, { userId }]) => [key, userId]))
}

/** Writes the manager into `members`; `chains` follows. */
function publishManager(
  members: Map<string, Member>,
  { managers, chains }: { managers: ReadonlyMap<string, string>; chains: ManagerChains },
  { userId, managerEmail }: Publication,
  now: Date,
): { readonly changes: readonly FieldChange[]; readonly isUnresolved: boolean } {
  if (managerEmail === undefined) return { changes: [], isUnresolved: false }
  const member = memberOf(members, userId)
  const managerUserId = managerEmail === '' ? '' : managers.get(emailKeyOf(managerEmail))
  const isGood =
    managerUserId !== undefined && (managerUserId === '' || managerFault(chains, userId, managerUserId) === undefined)
  if (!isGood && member.profile.MANAGER.owner === 'AUTOMATION') return { changes: [], isUnresolved: true }
  // What cannot be resolved meets a pin or a lock here, as a value that no member has.
  const value = managerUserId ?? managerEmail
  const { profile, changes } = writeProfile(member.profile, commandsOfIngestion(new Map([['MANAGER', value]])), now)
  members.set(userId, withProfile(member, profile, now))
  if (profile.MANAGER.value === '') chains.delete(userId)
  else chains.set(userId, profile.MANAGER.value)
  return { changes, isUnresolved: false }
}

function memberOf(members: ReadonlyMap<string, Member>, userId: string): Member {
  const member = members.get(userId)
  if (member === undefined) throw new Error('a source profile belongs to nobody')
  return member
}
