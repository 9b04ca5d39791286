import type { TeamUserRole } from '../../gen/prisma/enums.js'
import type { Tables } from '../db/tables.js'
import { type Caller, isAdministrator } from '../domain/caller/caller.js'
import { governedFields } from '../domain/profile/field-ownership.js'
import { fieldNames } from '../domain/profile/profile-value.js'
import { permissionBeyond } from '../domain/team-member.js'
import { lastAdministrator, sharedBetweenOrganizations } from '../domain/user/standing.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import type { ErrorReason } from '../errors.js'
import { findAdministrators } from '../store/member.js'
import { findDirectoryGroups } from '../store/transfer/import.js'
import type { RecordKind } from '../store/transfer/kind.js'
import type { Outcome } from '../store/transfer/statements.js'
import { findMemberships, type StandingMembership } from '../store/transfer/user.js'
import type { Refusal } from './import-error.js'
import type { RecordLine } from './stage-lines.js'

/**
 * Finds users whom the organization may not write: people of other organizations, and those whose address several
 * organizations share and the record would change.
 */
export async function findForeignUsers(
  transaction: Tables,
  organizationId: string,
  lines: readonly RecordLine[],
): Promise<Refusal[]> {
  const users = lines.flatMap(({ staged: { line }, record: { resource } }) =>
    resource.case === 'user' ? { line, user: resource.value } : [],
  )
  const ids = users.map(({ user }) => user.id)
  const taken = new Set<string>()
  const members = new Map<string, StandingMembership>()
  for (const membership of await findMemberships(transaction, ids)) {
    taken.add(membership.userId)
    if (membership.organizationId === organizationId) members.set(membership.userId, membership)
  }
  return users.flatMap(({ line, user: { id, email } }): Refusal[] => {
    const refusal = { line, kind: 'user', id, organizationId } as const
    const member = members.get(id)
    if (member === undefined) {
      return taken.has(id) ? [{ ...refusal, field: 'user.id', fault: 'is not available: choose another one' }] : []
    }
    if (!member.inSeveralOrganizations || member.email === email) return []
    const { message: fault, reason } = sharedBetweenOrganizations()
    return [{ ...refusal, field: 'user.email', fault, reason }]
  })
}

/** What of a change exceeds what its caller may do. */
type Excess = Required<Pick<Refusal, 'field' | 'fault' | 'reason'>>

/** What decides about a record, in the JSON of an export. */
interface RecordJson {
  readonly role?: string
  readonly email?: string
  readonly directoryManaged?: boolean
  readonly deactivatedAt?: string
  readonly fieldOwnership?: readonly { readonly field: string; readonly owner: string }[]
  readonly teamRoles?: readonly { readonly teamId: string; readonly role: string }[]
}

/** A record that has been written: as it stood, empty for a new one, and as it is. */
interface Change {
  readonly line: number
  readonly id: string
  readonly before: RecordJson
  readonly after: RecordJson
  /** The names of the fields that differ, none for a new one. */
  readonly fields: ReadonlySet<string>
}

/**
 * Finds what has been written and the caller may not write: operators may do everything, but callers of the API may not
 * do by an import what no method lets them do to people, roles and what the directory supplies.
 */
export async function findExcess(
  transaction: Tables,
  caller: Caller,
  kind: RecordKind,
  outcomes: readonly Outcome[],
): Promise<Refusal[]> {
  const { organizationId } = caller
  const ids = kind === 'group' ? outcomes.map(({ id }) => id) : []
  const groups = await findDirectoryGroups(transaction, organizationId, ids)
  const changes = outcomes.flatMap(({ line, id, isNew, fields, before, after }): Change[] => {
    if (!isNew && fields.length === 0) return []
    if (after === null) throw new Error('what was written is not known')
    return [{ line, id, before: JSON.parse(before ?? '{}'), after: JSON.parse(after), fields: new Set(fields) }]
  })
  const isEnding = kind === 'user' && changes.some(endsAdministrator)
  const isHeadless = isEnding && (await findAdministrators(transaction, organizationId, 1)).length === 0
  return changes.flatMap((change) => {
    const { line, id } = change
    const excess = excessOf(kind, change, caller, groups)
    if (excess.length === 0 && isHeadless && endsAdministrator(change)) excess.push(withoutAdministrator(change))
    return excess.map(({ field, ...each }) => ({ line, kind, id, organizationId, field: `${kind}.${field}`, ...each }))
  })
}

function excessOf(kind: RecordKind, change: Change, caller: Caller, groups: ReadonlySet<string>): Excess[] {
  if (kind === 'user') {
    const ofRoles = isAdministrator(caller) ? [] : [...standingExcess(change), ...teamRoleExcess(change, caller)]
    const isOwnRole = caller.kind === 'USER_TOKEN' && caller.id === change.id && change.fields.has('role')
    return [
      ...when(isOwnRole, 'role', 'users cannot change their own role', 'OWN_ROLE'),
      ...ofRoles,
      ...directoryExcess(change),
    ]
  }
  if (kind === 'group') return when(groups.has(change.id), 'id', 'the directory manages the group: change it there')
  if (kind !== 'organization') return []
  const isRenamed = change.fields.has('name') && !isAdministrator(caller)
  return [
    ...when(change.fields.has('region'), 'region', 'cannot be changed: the data stays where it is'),
    ...when(isRenamed, 'name', FOR_ADMINISTRATORS, 'PERMISSION_MISSING'),
  ]
}

function when(isSo: boolean, field: string, fault: string, reason: ErrorReason = 'FIELD_INVALID'): Excess[] {
  return isSo ? [{ field, fault, reason }] : []
}

const FOR_ADMINISTRATORS = 'can be changed only by administrators, and organization API keys with every permission'
const ADMINISTRATOR = 'USER_ROLE_ORG_ADMIN'
const DIRECTORY = 'FIELD_OWNER_DIRECTORY'

/** What only administrators decide: who is one, an administrator's address, and whether an administrator is active. */
function standingExcess({ before, after, fields }: Change): Excess[] {
  const wasAdministrator = before.role === ADMINISTRATOR
  const isChosen = wasAdministrator !== (after.role === ADMINISTRATOR)
  return [
    ...when(isChosen, 'role', FOR_ADMINISTRATORS, 'PERMISSION_MISSING'),
    ...['email', 'deactivatedAt'].flatMap((field) =>
      when(wasAdministrator && fields.has(field), field, FOR_ADMINISTRATORS, 'PERMISSION_MISSING'),
    ),
  ]
}

/** Whether an administrator is none any more. */
function endsAdministrator({ before, after }: Change): boolean {
  const [was, is] = [before, after].map(({ role, deactivatedAt }) => role === ADMINISTRATOR && !deactivatedAt)
  return was === true && is === false
}

function withoutAdministrator({ fields }: Change): Excess {
  const { message: fault, reason } = lastAdministrator()
  return { field: fields.has('role') ? 'role' : 'deactivatedAt', fault, reason }
}

/** Team roles that give more than the caller has. */
function teamRoleExcess({ before, after }: Change, caller: Caller): Excess[] {
  const old = new Set(before.teamRoles?.map((role) => JSON.stringify(role)))
  return (after.teamRoles ?? []).flatMap((given) => {
    const role = given.role.replace('TEAM_USER_ROLE_', '') as TeamUserRole
    const isNew = !old.has(JSON.stringify(given))
    const isMore = isNew && permissionBeyond(caller, { teamId: given.teamId, role }) !== undefined
    const fault = `${given.role} in ${given.teamId} gives permissions that the caller does not have`
    return when(isMore, 'teamRoles', fault, 'PERMISSION_MISSING')
  })
}

/** What only the directory decides: whom it manages, and the fields that it supplies. */
function directoryExcess({ before, after, fields }: Change): Excess[] {
  const [old, now] = [directoryFields(before), directoryFields(after)]
  const locked = governedFields.filter((field) => now.has(field) && !old.has(field))
  const changed = governedFields.filter((field) => old.has(field) && fields.has(fieldNames[field]))
  const wasManaged = before.directoryManaged === true
  const isJoining = !wasManaged && after.directoryManaged === true
  const isMoved = wasManaged && fields.has('email') && emailKeyOf(before.email ?? '') !== emailKeyOf(after.email ?? '')
  const isEnding = wasManaged && fields.has('deactivatedAt') && after.deactivatedAt !== undefined
  const atDirectory = 'the directory manages the user: change it there'
  return [
    ...when(isJoining, 'directoryManaged', 'is set by the directory alone'),
    ...when(isMoved, 'email', atDirectory, 'EMAIL_MANAGED_BY_DIRECTORY'),
    ...when(isEnding, 'deactivatedAt', atDirectory),
    ...when(locked.length > 0, 'fieldOwnership', `only the directory locks ${locked.join(', ')}`),
    ...changed.flatMap((field) => when(true, fieldNames[field], 'the directory supplies the field: change it there')),
  ]
}

/** The fields that the directory owns, without their prefix. */
function directoryFields({ fieldOwnership = [] }: RecordJson): ReadonlySet<string> {
  const owned = fieldOwnership.filter(({ owner }) => owner === DIRECTORY)
  return new Set(owned.map(({ field }) => field.replace('USER_PROFILE_FIELD_', '')))
}
