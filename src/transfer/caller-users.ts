import {
  FieldOwner as FieldOwnerMessage,
  UserProfileField,
  UserRole as UserRoleMessage,
} from '../../gen/svc/v2/user_pb.js'
import { recordCallEvents } from '../domain/audit/audit-event.js'
import type { CallContext } from '../domain/caller/caller.js'
import { type FieldChange, fieldOwners, governedFields } from '../domain/profile/field-ownership.js'
import { fieldNames } from '../domain/profile/profile-value.js'
import type { LockedMembers } from '../domain/user/lock.js'
import type { ChangedMember } from '../domain/user/member.js'
import type { MemberPlan } from '../domain/user/plan.js'
import { type ImportedUser, importWriterOf, planImportedUsers } from '../domain/user/user-import.js'
import { writePlan } from '../domain/user/write.js'
import { ServiceError } from '../errors.js'
import { mapInSlices } from '../runtime/slices.js'
import { writeLists } from '../store/transfer/import.js'
import { readStagedUsers } from '../store/transfer/user.js'
import { faultsIn, type Refusal } from './import-error.js'
import type { UserWriter } from './import-users.js'
import type { RecordOf } from './record-reader.js'
import { changedTeamRoles } from './team-roles.js'

/** The users of records, by their lines. */
export type UsersByLine = ReadonlyMap<number, ImportedUser>

/** A user of a record that is within its limits, and whose values are in canonical form. */
export function importedUserOf(record: RecordOf<'user'>): ImportedUser {
  const { id, email, createdAt, deactivatedAt, directoryManaged, teamRoles } = record
  const role = (['ORG_ADMIN', 'ORG_MEMBER', 'ORG_GUEST'] as const).find((name) => UserRoleMessage[name] === record.role)
  const values = governedFields.flatMap((field) => {
    const value = record[fieldNames[field]]
    return value === undefined ? [] : [[field, value] as const]
  })
  const owners = record.fieldOwnership.flatMap(({ field, owner }) => {
    const governed = governedFields.find((name) => UserProfileField[name] === field)
    const named = fieldOwners.find((name) => FieldOwnerMessage[name] === owner)
    return governed === undefined || named === undefined ? [] : [[governed, named] as const]
  })
  return {
    userId: id,
    email,
    role,
    values: new Map(values),
    owners: new Map(owners),
    createdAt: createdAt === '' ? undefined : new Date(createdAt),
    deactivatedAt: deactivatedAt ? new Date(deactivatedAt) : undefined,
    directoryManaged,
    hasTeamRoles: teamRoles.length > 0,
  }
}

/** Users who are written by the rules of the caller's methods, and what became of their governed fields. */
export interface CallerUsers extends UserWriter {
  changesOf(line: number): readonly FieldChange[]
}

/** Writes users, who are locked, as writes of the caller. */
export function callerUsers(context: CallContext, users: UsersByLine, locked: LockedMembers): CallerUsers {
  const { organizationId } = context.caller
  const outcomes = new Map<number, ChangedMember>()
  let plan: Omit<MemberPlan, 'outcomes'> | undefined
  return {
    async judge(transaction) {
      const left = new Set((await readStagedUsers(transaction, {})).map(({ line }) => line))
      const staged = [...users].filter(([line]) => left.has(line))
      const decided = await planImportedUsers(
        context,
        staged.map(([, user]) => user),
        locked,
      )
      plan = decided
      outcomes.clear()
      const unwritable = staged.flatMap(([line, user], index) => {
        const outcome = decided.outcomes[index]
        if (outcome instanceof ServiceError) return faultsOf(outcome, line, user, locked, organizationId)
        if (outcome !== undefined) outcomes.set(line, outcome)
        return []
      })
      return { unwritable, refused: [] }
    },
    async write(transaction) {
      if (plan === undefined) throw new Error('the users have not been judged')
      await writePlan(transaction, importWriterOf(context), plan)
      await writeLists(transaction, 'user')
      return plan.added.length
    },
    async recordChanges(transaction, changed) {
      const events = (await mapInSlices(changed, ({ id, before, after }) => changedTeamRoles(id, before, after))).flat()
      if (events.length > 0) await recordCallEvents(context, transaction, events)
    },
    record: (transaction, events) => recordCallEvents(context, transaction, events),
    changesOf: (line) => outcomes.get(line)?.changes ?? [],
  }
}

function faultsOf(
  error: ServiceError,
  line: number,
  { userId, role, deactivatedAt }: ImportedUser,
  locked: LockedMembers,
  organizationId: string,
): Omit<Refusal, 'kind'>[] {
  const isOtherRole = role !== undefined && role !== locked.members.get(userId)?.role
  // Of an administrator, role, access and address are refused for the same reason, in this order.
  const field = isOtherRole ? 'role' : deactivatedAt !== undefined ? 'deactivatedAt' : 'email'
  return faultsIn(error, field).map(({ field, description: fault, reason }) => {
    return { line, id: userId, organizationId, field, fault, reason }
  })
}
