import type { Tables } from '../db/tables.js'
import { type AuditEvent, recordAuditEvents, systemActor } from '../domain/audit/audit-event.js'
import { type FieldChange, type FieldOwner, fieldOwners } from '../domain/profile/field-ownership.js'
import { judgeGivenUsers } from '../domain/user/user-import.js'
import type { Runtime } from '../runtime/runtime.js'
import { insertDepartmentOptions } from '../store/department-option.js'
import { type Lock, takeLocks } from '../store/lock.js'
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
import { faultsIn, type Refusal } from './import-error.js'

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
    judge: (transaction) => prepareUsers(transaction, runtime),
    write: (transaction) => writeKind(transaction, 'user'),
    recordChanges: (transaction, changed) => recordChangedUsers(transaction, changed, runtime),
    record: (transaction, events) => recordAuditEvents(transaction, events, { actor: systemActor, runtime }),
  }
}

/** How many values, users and events go into one query. */
const AT_ONCE = 1_000

/**
 * Judges the staged users by the rules of every writer of members, all of them as they will be. If all can be written,
 * writes the departments, and the addresses of those who stand. Returns what is wrong with those who cannot be written,
 * and what only force may do with the others.
 */
async function prepareUsers(
  transaction: Tables,
  runtime: Runtime,
): Promise<Readonly<Record<'unwritable' | 'refused', readonly Omit<Refusal, 'kind'>[]>>> {
  const users = await readStagedUsers(transaction)
  const organizations = [...byOrganization(users).keys()]
  // Nobody else assigns managers in the organizations, so that cycles are found.
  await takeLocks(
    transaction,
    organizations.map((organizationId): Lock => ({ kind: 'managers', organizationId })),
  )
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
    await insertDepartmentOptions(transaction, organizationId, names, () => runtime.newId())
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
 * The users who cannot have what they are given, by the rules of every writer of members. `last` has the last line of each
 * person, whose address all organizations of the person get.
 */
async function findUnwritable(
  transaction: Tables,
  users: readonly StagedUser[],
  existing: readonly ExistingMembership[],
  last: ReadonlyMap<string, StagedUser>,
): Promise<Omit<Refusal, 'kind'>[]> {
  const members = byOrganization(users)
  const elsewhere = byOrganization(existing)
  const refusals = new Map<number, Omit<Refusal, 'kind'>>()
  for (const organizationId of new Set([...members.keys(), ...elsewhere.keys()])) {
    const here = new Map((members.get(organizationId) ?? []).map((user) => [user.userId, user]))
    const ids = new Set([...here.keys(), ...(elsewhere.get(organizationId) ?? []).map(({ userId }) => userId)])
    const lines = [...ids].flatMap((userId) => {
      const line = last.get(userId)
      const { phone, managerUserId } = here.get(userId) ?? { phone: null, managerUserId: undefined }
      return line === undefined
        ? []
        : { userId, email: line.email, phone, managerUserId, user: here.get(userId) ?? line }
    })
    lines.sort((one, other) => one.user.line - other.user.line)
    const errors = await judgeGivenUsers(transaction, organizationId, lines)
    for (const [index, error] of errors.entries()) {
      const { user } = lines[index] ?? {}
      if (error === undefined || user === undefined || refusals.has(user.line)) continue
      for (const { field, description, reason } of faultsIn(error, 'email')) {
        refusals.set(user.line, { ...faultOf(user, field, description), reason })
      }
    }
  }
  return [...refusals.values()]
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
