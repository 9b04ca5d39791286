import type { Tables } from '../db/tables.js'
import { roleBeyond } from '../domain/auth/role-limits.js'
import { type Caller, isAdministrator } from '../domain/caller/caller.js'
import type { ErrorReason } from '../errors.js'
import { mapInSlices } from '../runtime/slices.js'
import { findDirectoryGroups } from '../store/transfer/import.js'
import type { RecordKind } from '../store/transfer/kind.js'
import type { Outcome } from '../store/transfer/statements.js'
import { findMemberships } from '../store/transfer/user.js'
import type { Refusal } from './import-error.js'
import type { RecordLine } from './stage-lines.js'
import { givenTeamRoles, storedRoleOf, type TeamRoleJson, teamRolesOf } from './team-roles.js'

/**
 * Finds records of users who are people of other organizations, which this one may not write, and the ids of the
 * organization's own members. With `areWritten`, the lines are those of new users, who have been written already.
 */
export async function findForeignUsers(
  transaction: Tables,
  organizationId: string,
  lines: readonly RecordLine[],
  areWritten = false,
): Promise<{ readonly foreign: readonly Refusal[]; readonly memberIds: ReadonlySet<string> }> {
  const users = lines.flatMap(({ staged: { line }, record: { resource } }) =>
    resource.case === 'user' ? { line, id: resource.value.id } : [],
  )
  const memberships = await findMemberships(
    transaction,
    users.map(({ id }) => id),
  )
  const existing = memberships.filter((membership) => membership.organizationId !== organizationId || !areWritten)
  const taken = new Set(existing.map(({ userId }) => userId))
  const own = existing.filter((membership) => membership.organizationId === organizationId)
  const memberIds = new Set(own.map(({ userId }) => userId))
  const fault = 'is not available: choose another one'
  const foreign = users
    .filter(({ id }) => taken.has(id) && !memberIds.has(id))
    .map(({ line, id }): Refusal => ({ line, kind: 'user', id, organizationId, field: 'user.id', fault }))
  return { foreign, memberIds }
}

/** A part of a change that its caller may not make. */
type Excess = Required<Pick<Refusal, 'field' | 'fault' | 'reason'>>

/** A written record, before and after the import. */
interface Change {
  readonly id: string
  readonly before: string | null
  readonly after: string | null
  /** The names of the fields that differ; empty for a new record. */
  readonly fields: ReadonlySet<string>
}

interface Importer {
  readonly caller: Caller
  readonly now: Date
}

/**
 * Finds changes that the caller has no right to make, besides those that the rules of members refuse: an operator may
 * import anything, but a caller of the API only what some method would let it write.
 */
export async function findExcess(
  transaction: Tables,
  importer: Importer,
  kind: RecordKind,
  outcomes: readonly Outcome[],
): Promise<Refusal[]> {
  const { organizationId } = importer.caller
  const ids = kind === 'group' ? outcomes.map(({ id }) => id) : []
  const groups = await findDirectoryGroups(transaction, organizationId, ids)
  const found = await mapInSlices(outcomes, ({ line, id, isNew, fields, before, after }): Refusal[] => {
    if (!isNew && fields.length === 0) return []
    const excess = excessOf(kind, { id, before, after, fields: new Set(fields) }, importer, groups)
    return excess.map(({ field, ...each }) => ({ line, kind, id, organizationId, field: `${kind}.${field}`, ...each }))
  })
  return found.flat()
}

/** The kinds whose methods that write take user tokens alone. */
export const writtenByUsersOnly: ReadonlySet<RecordKind> = new Set(['priority'])

function excessOf(
  kind: RecordKind,
  { id, before, after, fields }: Change,
  { caller, now }: Importer,
  groups: ReadonlySet<string>,
): Excess[] {
  const isForeign = writtenByUsersOnly.has(kind) && caller.kind !== 'USER_TOKEN'
  const forUsers = 'is written with user tokens only: use one, or leave the record out'
  if (isForeign) return when(true, 'id', forUsers, 'CREDENTIAL_KIND_UNSUPPORTED')
  if (kind === 'user') {
    const given = givenTeamRoles(teamRolesOf(before), teamRolesOf(after))
    return given.flatMap((role) => teamRoleExcess(role, caller, now))
  }
  if (kind === 'group') return groupExcess(groups.has(id), before, after)
  if (kind !== 'organization') return []
  const isRenamed = fields.has('name') && !isAdministrator(caller)
  return [
    ...when(fields.has('region'), 'region', 'cannot be changed: the data stays where it is'),
    ...when(isRenamed, 'name', FOR_ADMINISTRATORS, 'PERMISSION_MISSING'),
  ]
}

function when(isSo: boolean, field: string, fault: string, reason: ErrorReason = 'FIELD_INVALID'): Excess[] {
  return isSo ? [{ field, fault, reason }] : []
}

const FOR_ADMINISTRATORS = 'can be changed only by administrators, and organization API keys with every permission'

/** A team role that gives more than the caller has, or for longer, or has ended. */
function teamRoleExcess(given: TeamRoleJson, caller: Caller, now: Date): Excess[] {
  const { teamId, role, expiresAt } = given
  const end = expiresAt === undefined ? null : new Date(expiresAt)
  const beyond = roleBeyond(caller, { teamId, role: storedRoleOf(given), expiresAt: end })
  const isPast = end !== null && end <= now
  const fault = `${role} in ${teamId}: ${beyond?.message}`
  return [
    ...when(beyond !== undefined, 'teamRoles', fault, 'PERMISSION_MISSING'),
    ...when(isPast, 'teamRoles', `expiresAt of ${role} in ${teamId} must be in the future`),
  ]
}

/** The faults of a change of a group that only its directory may make. */
function groupExcess(isOfDirectory: boolean, before: string | null, after: string | null): Excess[] {
  const isManaged = (json: string | null) => JSON.parse(json ?? '{}').directoryManaged === true
  const wasManaged = isOfDirectory || isManaged(before)
  const fault = 'the directory manages the group: change it there'
  return [
    ...when(wasManaged, 'id', fault, 'GROUP_MANAGED_BY_DIRECTORY'),
    ...when(!wasManaged && isManaged(after), 'directoryManaged', 'is set by the directory alone'),
  ]
}
