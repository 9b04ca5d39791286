import type { UserRole } from '../../../gen/prisma/enums.js'
import { type FieldViolation, notFound, refuseViolations } from '../../errors.js'
import { countLiveKeys } from '../../store/api-key.js'
import type { AuditAction } from '../../store/audit-action.js'
import type { PrintedObject } from '../../store/resource/print.js'
import { userView } from '../../store/user.js'
import { authorOf } from '../audit/audit-event.js'
import { listUserTokens } from '../auth/user-token.js'
import {
  type CallContext,
  type Caller,
  hasPermissionAnywhere,
  hasPermissionIn,
  isAdministrator,
  type Permission,
  permissionMissing,
  requirePermissionIn,
} from '../caller/caller.js'
import { type ApiWriter, commandsOfRequest, type GovernedField } from '../profile/field-ownership.js'
import { createPinFields, pinViolations, updatePinFields } from '../profile/pin-request.js'
import { type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from '../value/entity-tag.js'
import { lockMembers } from './lock.js'
import { type ChangedMember, type MemberChange, type MemberRights, type MemberWriter, memberOf } from './member.js'
import { planMembers } from './plan.js'
import { memberTransaction, writePlan } from './write.js'

/** Whether a profile is that of the person who calls. */
function isOwn(caller: Caller, userId: string): boolean {
  return caller.kind === 'USER_TOKEN' && caller.id === userId
}

export interface NewUser {
  readonly email: string
  readonly role: UserRole
  readonly profile: ProfileInput
  readonly pinFields: readonly GovernedField[]
}

/**
 * Reads a member of the caller's organization. Everyone may read their own; others need `users:read` in some team or in
 * the organization. Throws `PERMISSION_MISSING` and `RESOURCE_NOT_FOUND`.
 */
export async function getUser(context: CallContext, userId: string): Promise<PrintedObject> {
  const { caller } = context
  if (!isOwn(caller, userId) && !hasPermissionAnywhere(caller, 'users:read')) throw permissionMissing('users:read')
  return printMember(context, userId)
}

/** One member of the caller's organization, whoever may read it. Throws `RESOURCE_NOT_FOUND`. */
export async function printMember(
  { tables, caller: { organizationId } }: Pick<CallContext, 'tables' | 'caller'>,
  userId: string,
): Promise<PrintedObject> {
  const user = await userView.find(tables, { organizationId, userId })
  if (user === undefined) throw notFound('user', userId)
  return user
}

/**
 * Adds a person to the caller's organization and returns the user; a user with the same address in another organization
 * is a different one. Throws `FIELD_INVALID`, `PIN_FIELD_NOT_SET`, `PIN_FIELD_NOT_ALLOWED`, `PERMISSION_MISSING`,
 * `EMAIL_TAKEN` with the holder, and `PHONE_TAKEN`.
 */
export async function createUser(
  context: CallContext,
  { email, role, profile, pinFields }: NewUser,
): Promise<PrintedObject> {
  const { caller } = context
  const { values, violations } = profileValuesOf({ email, ...profile })
  refuseViolations([...violations, ...pinViolations({ profile, pinFields }, createPinFields)])
  requirePermissionIn(caller, null, 'users:write')
  const commands = commandsOfRequest({ writer: apiWriterOf(caller), values, pinFields })
  const writer = memberWriterOf(context, 'user.create')
  const changes = [{ target: { email, mustJoin: true }, commands, role }] as const
  return memberTransaction(context.tables, async (tables) => {
    const plan = planMembers(writer, changes, await lockMembers(tables, writer, changes))
    await writePlan(tables, writer, plan)
    return printMember({ tables, caller }, plan.outcomes[0].member.userId)
  })
}

/** Changes of a user; whatever is absent stays as it is. */
export interface UserUpdate extends Pick<MemberChange, 'email' | 'role' | 'active' | 'endsSessions'> {
  readonly userId: string
  readonly profile?: ProfileInput
  readonly pinFields?: readonly GovernedField[]
  readonly releaseFields?: readonly GovernedField[]
}

/** A user after a write, and what became of the fields that it named. */
export interface UserWrite extends Pick<ChangedMember, 'changes'> {
  readonly user: PrintedObject
}

/**
 * Changes a member of the caller's organization (docs/field-ownership.md). People change their own profile, but not the
 * address, without any permission; everything else needs `users:write` over the organization. Throws `FIELD_INVALID`
 * and the reasons about pins for the request, `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, `ETAG_MISMATCH`, `OWN_ROLE`,
 * `LAST_ADMINISTRATOR`, the reasons about emails in their order, and `PHONE_TAKEN`; then nothing is written.
 */
export async function updateUser(context: CallContext, update: UserUpdate): Promise<UserWrite> {
  const { caller, ifMatch } = context
  const { userId, active, endsSessions } = update
  const { change, violations } = changeOfUpdate(caller, update)
  refuseViolations(violations)
  const accepted = acceptedVersionsFrom(ifMatch)
  const isOwnProfile = isOwn(caller, userId) && active === undefined && endsSessions === undefined
  if (!isOwnProfile) await requireMemberPermission(context, 'users:write', userId)
  const writer = memberWriterOf(context, 'user.update')
  return memberTransaction(context.tables, async (tables) => {
    const locked = await lockMembers(tables, writer, [change])
    const { version } = memberOf(locked.members, userId)
    requireAcceptedVersion(accepted, entityTagOf(version), { resourceType: 'user', resourceId: userId })
    const plan = planMembers(writer, [change], locked)
    const [user] = await writePlan(tables, writer, plan, userView)
    return { user: user ?? (await printMember({ tables, caller }, userId)), changes: plan.outcomes[0].changes }
  })
}

/**
 * Deactivates a member of the caller's organization, unless the member already is, and returns the user and how many
 * usable keys the user has created. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, `ETAG_MISMATCH`,
 * `OWN_DEACTIVATION`, `USER_MANAGED_BY_DIRECTORY` and `LAST_ADMINISTRATOR`; then nothing is written.
 */
export async function deactivateUser(
  context: CallContext,
  userId: string,
): Promise<{ readonly user: PrintedObject; readonly activeApiKeyCount: number }> {
  const { tables, caller, runtime } = context
  const { user } = await updateUser(context, { userId, active: false })
  const keys = { organizationId: caller.organizationId, createdByUserId: userId }
  return { user, activeApiKeyCount: await countLiveKeys(tables, keys, runtime.now()) }
}

/** Reactivates a member in the same way, and returns the user. Throws the same, but for the last. */
export async function reactivateUser(context: CallContext, userId: string): Promise<PrintedObject> {
  return (await updateUser(context, { userId, active: true })).user
}

/**
 * Ends all sessions that a member of the caller's organization has had until now. Throws `RESOURCE_NOT_FOUND`,
 * `PERMISSION_MISSING` and `ETAG_MISMATCH`.
 */
export async function endUserSessions(context: CallContext, userId: string): Promise<void> {
  await updateUser(context, { userId, endsSessions: true })
}

/** The begin and the end (RFC 3339) of the sessions of a member, the newest first. Throws what `getUser` throws. */
export async function listUserSessions(context: CallContext, userId: string) {
  const { tables, caller, runtime } = context
  await getUser(context, userId)
  const tokens = await listUserTokens(tables, { organizationId: caller.organizationId, userIds: [userId] })
  const current = tokens.filter(({ expiresAt }) => expiresAt > runtime.now()).reverse()
  return current.map((token) => {
    return { createdAt: token.createdAt.toISOString(), expiresAt: token.expiresAt.toISOString() }
  })
}

/** The change that an update asks for, and what is wrong with it by itself; `path` precedes the names of fields. */
export function changeOfUpdate(
  caller: Caller,
  update: UserUpdate,
  path = '',
): { readonly change: MemberChange; readonly violations: readonly FieldViolation[] } {
  const { userId, profile = {}, pinFields = [], releaseFields = [], ...account } = update
  const { values, violations } = profileValuesOf({ email: account.email, ...profile }, path)
  const pins = pinViolations({ profile, pinFields, releaseFields }, updatePinFields)
  const commands = commandsOfRequest({ writer: apiWriterOf(caller), values, pinFields, releaseFields })
  return {
    change: { target: { userId }, commands, ...account },
    violations: [...violations, ...pins.map((pin) => ({ ...pin, field: `${path}${pin.field}` }))],
  }
}

/**
 * Refuses a caller who may not write a member, with `PERMISSION_MISSING`. One who has the permission in some team sees
 * the members of the organization: for them, `RESOURCE_NOT_FOUND` comes first (docs/permissions.md).
 */
export async function requireMemberPermission(
  context: CallContext,
  permission: Permission,
  userId: string,
): Promise<void> {
  if (hasPermissionIn(context.caller, null, permission)) return
  if (hasPermissionAnywhere(context.caller, permission)) await printMember(context, userId)
  throw permissionMissing(permission)
}

/** The caller as a writer of members, and what the audit log calls what it does to governed fields. */
export function memberWriterOf(context: CallContext, action: AuditAction): MemberWriter {
  const { caller, runtime } = context
  const { organizationId } = caller
  return { organizationId, ...authorOf(context), runtime, rights: memberRightsOf(caller), caller, action }
}

/**
 * What the caller may change of members beside governed fields. Nobody gives what they do not have: only
 * administrators, and organization keys with every permission that a key can have, may change the role and address of
 * an administrator (docs/permissions.md).
 */
function memberRightsOf(caller: Caller): MemberRights {
  if (!hasPermissionIn(caller, null, 'users:write')) return 'profiles'
  return isAdministrator(caller) ? 'administrators' : 'members'
}

/** The caller's class of writer, unless the request says otherwise (docs/field-ownership.md). */
export function apiWriterOf(caller: Caller): ApiWriter {
  return caller.kind === 'USER_TOKEN' ? 'person' : 'automation'
}
