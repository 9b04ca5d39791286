import type { Tables } from '../db/tables.js'
import { type AuditEvent, recordAuditEvents, systemActor } from '../domain/audit/audit-event.js'
import { type FieldChange, type FieldOwner, fieldOwners } from '../domain/profile/field-ownership.js'
import type { MemberWriter } from '../domain/user/member.js'
import { judgeGivenUsers } from '../domain/user/user-import.js'
import type { Runtime } from '../runtime/runtime.js'
import { batchesOf } from '../runtime/slices.js'
import { insertDepartmentOptions } from '../store/department-option.js'
import { type Lock, takeLocks } from '../store/lock.js'
import { byOrganization } from '../store/organization.js'
import { ownedPlaces } from '../store/owned-column.js'
import type { Fault } from '../store/transfer/checks.js'
import { writeKind } from '../store/transfer/import.js'
import type { Outcome } from '../store/transfer/statements.js'
import { readStagedUsers, type StagedUser, stageWholePeople } from '../store/transfer/user.js'
import { faultsIn, type Refusal } from './import-error.js'

/** How the users of an import are judged and written, once they are staged. */
export interface UserWriter {
  /**
   * Judges the staged users by the state after the whole import. Returns why some cannot be written, and what only
   * force may do with the others.
   */
  judge(transaction: Tables): Promise<Readonly<Record<'unwritable' | 'refused', readonly Omit<Refusal, 'kind'>[]>>>
  /** Writes the judged users, and returns how many are new. */
  write(transaction: Tables): Promise<number>
  /** Records the changes of users in the audit log, if `write` does not. */
  recordChanges(transaction: Tables, changed: readonly Outcome[]): Promise<void>
  /** Records other events in the name of the importer. */
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

const action = 'user.import'

/** How many events go into one query. */
const AT_ONCE = 1_000

/**
 * Judges the staged users by the rules of every writer of members and by the state after the whole import. If all can
 * be written, adds their departments. Returns why some cannot be written, and what only force may do with the others.
 */
async function prepareUsers(
  transaction: Tables,
  runtime: Runtime,
): Promise<Readonly<Record<'unwritable' | 'refused', readonly Omit<Refusal, 'kind'>[]>>> {
  await stageWholePeople(transaction)
  const users = await readStagedUsers(transaction, {})
  const members = byOrganization(users)
  // Keeps others from assigning managers in the organizations, so that cycles are found.
  await takeLocks(
    transaction,
    [...members.keys()].map((organizationId): Lock => ({ kind: 'managers', organizationId })),
  )
  const unwritable = new Map<number, Omit<Refusal, 'kind'>>()
  for (const [organizationId, ofOrganization] of members) {
    const writer: MemberWriter = { organizationId, actor: systemActor, runtime, rights: 'administrators', action }
    const errors = await judgeGivenUsers(transaction, writer, ofOrganization)
    for (const [index, error] of errors.entries()) {
      const user = ofOrganization[index]
      // A line may be at fault in several organizations.
      if (error === undefined || user === undefined || unwritable.has(user.line)) continue
      for (const { field, description, reason } of faultsIn(error, 'email')) {
        unwritable.set(user.line, { ...faultOf(user, field, description), reason })
      }
    }
  }
  if (unwritable.size > 0) return { unwritable: [...unwritable.values()], refused: [] }
  for (const [organizationId, ofOrganization] of members) {
    const names = ofOrganization.map(({ department }) => department)
    await insertDepartmentOptions(transaction, organizationId, names, () => runtime.newId())
  }
  return { unwritable: [], refused: users.flatMap(refusalsOf) }
}

/** Faults that only `force` overrides: nobody loses a state just because a line leaves out a field. */
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

async function recordChangedUsers(transaction: Tables, changed: readonly Outcome[], runtime: Runtime): Promise<void> {
  for (const batch of batchesOf(changed, AT_ONCE)) {
    await recordAuditEvents(transaction, batch.map(eventOf), { actor: systemActor, runtime })
  }
}

function eventOf({ organizationId, id, fields, oldOwners, newOwners }: Outcome): AuditEvent {
  const [before, after] = [ownersFrom(oldOwners), ownersFrom(newOwners)]
  const changes = ownedPlaces.flatMap(({ field, value }, index): FieldChange[] => {
    const [oldOwner, newOwner] = [ownerOf(before[index]), ownerOf(after[index])]
    const hasNewValue = fields.includes(value)
    if (!hasNewValue && oldOwner === newOwner) return []
    // If only the owner changes, the field is released, or its present value taken over.
    const taken = newOwner === 'PINNED' ? 'PINNED' : 'WRITTEN'
    return [{ field, outcome: !hasNewValue && newOwner === 'AUTOMATION' ? 'RELEASED' : taken, oldOwner, newOwner }]
  })
  return { organizationId, action, targetId: id, changes }
}

function ownersFrom(json: string | null): readonly string[] {
  return JSON.parse(json ?? '[]')
}

function ownerOf(printed: string | undefined): FieldOwner {
  const owner = fieldOwners.find((each) => printed === `FIELD_OWNER_${each}`)
  if (owner === undefined) throw new Error(`${printed} is not an owner of a field`)
  return owner
}
