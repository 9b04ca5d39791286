import type { Tables } from '../db/tables.js'
import { type AuditEvent, recordAuditEvents, systemActor } from '../domain/audit/audit-event.js'
import { type FieldChange, type FieldOwner, fieldOwners } from '../domain/profile/field-ownership.js'
import { managerFault } from '../domain/user/manager.js'
import { otherHolder } from '../domain/user/value-holders.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import type { Runtime } from '../runtime/runtime.js'
import { insertDepartmentOptions } from '../store/department-option.js'
import { findValueHolders, readManagerChains } from '../store/member-value.js'
import { byOrganization } from '../store/organization.js'
import { ownedPlaces } from '../store/owned-column.js'
import type { Fault } from '../store/transfer/checks.js'
import { writeKind } from '../store/transfer/import.js'
import type { Outcome } from '../store/transfer/statements.js'
import {
  type ExistingMembership,
  findMemberships,
  readStagedUsers,
  type StagedUser,
  settleAddresses,
} from '../store/transfer/user.js'
import type { Refusal } from './import-error.js'

/** How the users of an import are judged and written, once they are staged. */
export interface UserWriter {
  /**
   * Judges those who are staged, all of them as they will be. Returns what is wrong with those who cannot be written,
   * and what only force may do with the others.
   */
  judge(transaction: Tables): Promise<Readonly<Record<'unwritable' | 'refused', readonly Omit<Refusal, 'kind'>[]>>>
  /** Writes those who have been judged, and returns how many are new. */
  write(transaction: Tables): Promise<number>
  /** Records what has been changed in the audit log, if `write` does not. */
  recordChanges(transaction: Tables, changed: readonly Outcome[]): Promise<void>
  /** Records other events in the name of whoever imports. */
  record(transaction: Tables, events: readonly AuditEvent[]): Promise<void>
}

/** Writes users as an operator does: their owners are taken over as given. */
export function operatorUsers(runtime: Runtime): UserWriter {
  return {
    judge: (transaction) => prepareUsers(transaction, () => runtime.newId()),
    write: (transaction) => writeKind(transaction, 'user'),
    recordChanges: (transaction, changed) => recordChangedUsers(transaction, changed, runtime),
    record: (transaction, events) => recordAuditEvents(transaction, events, { actor: systemActor, runtime }),
  }
}

/** How many values, users and events go into one query. */
const AT_ONCE = 1_000

/**
 * Judges the staged users by the rules of every writer of members, all of them as they will be. If all can be written,
 * writes the departments, and the addresses of those who stand. Their organizations' managers must be locked. Returns
 * what is wrong with those who cannot be written, and what only force may do with the others.
 */
async function prepareUsers(
  transaction: Tables,
  newId: () => string,
): Promise<Readonly<Record<'unwritable' | 'refused', readonly Fault[]>>> {
  const users = await readStagedUsers(transaction)
  // A person has the address of the last line, in whatever organization.
  const last = new Map(users.map((user) => [user.userId, user]))
  const existing: ExistingMembership[] = []
  for (const ids of batchesOf([...last.keys()])) existing.push(...(await findMemberships(transaction, ids)))
  const unwritable = await findUnwritable(transaction, users, existing, last)
  if (unwritable.length > 0) return { unwritable, refused: [] }
  const moved = existing.filter(({ userId, email }) => last.get(userId)?.email !== email)
  const movedIds = moved.map(({ userId }) => userId)
  await settleAddresses(transaction, idsInSeveralOrganizations([...users, ...existing]), movedIds)
  for (const [organizationId, members] of byOrganization(users)) {
    const names = members.map(({ department }) => department)
    await insertDepartmentOptions(transaction, organizationId, names, newId)
  }
  return { unwritable, refused: users.flatMap(refusalsOf) }
}

/** The ids that stand in more than one organization. */
function idsInSeveralOrganizations(places: readonly Pick<ExistingMembership, 'userId' | 'organizationId'>[]): string[] {
  const first = new Map<string, string>()
  const several = new Set<string>()
  for (const { userId, organizationId } of places) {
    const other = first.get(userId)
    if (other === undefined) first.set(userId, organizationId)
    else if (other !== organizationId) several.add(userId)
  }
  return [...several]
}

/** What nobody does by leaving out a field. */
function refusalsOf(user: StagedUser): Fault[] {
  const { isReactivated, leavesDirectory, unlocked } = user
  const refusal = (isSo: boolean, field: string, fault: string) => (isSo ? [faultOf(user, field, fault)] : [])
  const lost = `the directory's lock would be lost on ${unlocked.join(', ')}`
  return [
    ...refusal(isReactivated, 'deactivatedAt', 'the user is deactivated, and would be reactivated'),
    ...refusal(leavesDirectory, 'directoryManaged', 'the directory manages the user, and no longer would'),
    ...refusal(unlocked.length > 0, 'fieldOwnership', lost),
  ]
}

function faultOf({ line, userId: id, organizationId }: StagedUser, field: string, fault: string): Fault {
  return { line, id, organizationId, field, fault }
}

/**
 * The users with a manager who is nobody, else with a taken address, a taken number, or a cycle of managers. `last` has
 * the last line of each person.
 */
async function findUnwritable(
  transaction: Tables,
  users: readonly StagedUser[],
  existing: readonly ExistingMembership[],
  last: ReadonlyMap<string, StagedUser>,
): Promise<Fault[]> {
  const members = byOrganization(users)
  const elsewhere = byOrganization(existing)
  const faults: Record<'missing' | 'emails' | 'phones' | 'cycles', Fault[]> = {
    missing: [],
    emails: [],
    phones: [],
    cycles: [],
  }
  for (const organizationId of new Set([...members.keys(), ...elsewhere.keys()])) {
    const here = members.get(organizationId) ?? []
    const ids = new Set([...here, ...(elsewhere.get(organizationId) ?? [])].map(({ userId }) => userId))
    const withAddress = [...ids].flatMap((userId) => last.get(userId) ?? [])
    faults.emails.push(...(await takenValues(transaction, organizationId, 'emails', withAddress)))
    faults.phones.push(...(await takenValues(transaction, organizationId, 'phones', here)))
    await judgeManagers(transaction, organizationId, here, faults)
  }
  const byLine = new Map<number, Fault>()
  for (const fault of Object.values(faults).flat()) if (!byLine.has(fault.line)) byLine.set(fault.line, fault)
  return [...byLine.values()]
}

/** The values that only one member can have, and the fields that hold them. */
const uniqueValues = {
  emails: { field: 'email', read: ({ email }: StagedUser) => emailKeyOf(email) },
  phones: { field: 'primaryPhone', read: ({ phone }: StagedUser) => phone },
}

/** Finds users whose value somebody will have who is not among them, or has by an earlier line. */
async function takenValues(
  transaction: Tables,
  organizationId: string,
  kind: keyof typeof uniqueValues,
  users: readonly StagedUser[],
): Promise<Fault[]> {
  const { field, read } = uniqueValues[kind]
  const ids = new Set(users.map(({ userId }) => userId))
  const claims = users.flatMap((user) => {
    const value = read(user)
    return value === null ? [] : { user, value }
  })
  const holders = new Map<string, { readonly userId: string }>()
  for (const batch of batchesOf(claims)) {
    const values = { [kind]: batch.map(({ value }) => value) }
    for (const holder of await findValueHolders(transaction, organizationId, values)) {
      if (!ids.has(holder.userId)) holders.set(holder.value, holder)
    }
  }
  return claims
    .sort((one, other) => one.user.line - other.user.line)
    .flatMap(({ user, value }) => {
      const other = otherHolder(holders, value, user.userId)
      holders.set(value, user)
      return other === undefined ? [] : faultOf(user, field, `user ${other.userId} already has it`)
    })
}

/** Finds managers who are nobody, and cycles of managers. */
async function judgeManagers(
  transaction: Tables,
  organizationId: string,
  users: readonly StagedUser[],
  { missing, cycles }: Readonly<Record<'missing' | 'cycles', Fault[]>>,
): Promise<void> {
  const managerIds = new Set(users.flatMap(({ managerUserId }) => managerUserId ?? []))
  const chains = new Map<string, string | null>()
  for (const ids of batchesOf([...managerIds])) {
    for (const above of await readManagerChains(transaction, organizationId, ids)) {
      chains.set(above.userId, above.managerUserId)
    }
  }
  for (const { userId, managerUserId } of users) chains.set(userId, managerUserId)
  const field = 'managerUserId'
  for (const user of users) {
    if (user.managerUserId === null) continue
    const fault = managerFault(chains, user.userId, user.managerUserId)
    if (fault === 'MANAGER_CYCLE') cycles.push(faultOf(user, field, 'the managers above the user form a cycle'))
    else if (fault !== undefined) {
      missing.push(faultOf(user, field, `there is no user ${user.managerUserId} in the organization`))
    }
  }
}

/** Records an event `user.import` for each of the users, who stood and are changed. */
async function recordChangedUsers(transaction: Tables, changed: readonly Outcome[], runtime: Runtime): Promise<void> {
  for (const batch of batchesOf(changed)) {
    await recordAuditEvents(transaction, batch.map(eventOf), { actor: systemActor, runtime })
  }
}

function eventOf({ organizationId, id, fields, oldOwners, newOwners }: Outcome): AuditEvent {
  const [before, after] = [ownersFrom(oldOwners), ownersFrom(newOwners)]
  const changes = ownedPlaces.flatMap(({ field, value }, index): FieldChange[] => {
    const [oldOwner, newOwner] = [ownerOf(before[index]), ownerOf(after[index])]
    const hasNewValue = fields.includes(value)
    if (!hasNewValue && oldOwner === newOwner) return []
    // An owner alone is released, or takes what stands.
    const taken = newOwner === 'PINNED' ? 'PINNED' : 'WRITTEN'
    return [{ field, outcome: !hasNewValue && newOwner === 'AUTOMATION' ? 'RELEASED' : taken, oldOwner, newOwner }]
  })
  return { organizationId, action: 'user.import', targetId: id, changes }
}

function ownersFrom(json: string | null): readonly string[] {
  return JSON.parse(json ?? '[]')
}

function ownerOf(printed: string | undefined): FieldOwner {
  const owner = fieldOwners.find((each) => printed === `FIELD_OWNER_${each}`)
  if (owner === undefined) throw new Error(`${printed} is not an owner of a field`)
  return owner
}

function batchesOf<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = []
  for (let start = 0; start < items.length; start += AT_ONCE) batches.push(items.slice(start, start + AT_ONCE))
  return batches
}
