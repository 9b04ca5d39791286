import { ServiceError } from '../../errors.js'
import { requireAdministrators } from './email.js'
import type { Member, MemberWriter } from './member.js'

/**
 * Refuses a writer who may not deactivate or reactivate a member. Throws `PERMISSION_MISSING` for an administrator, and
 * `OWN_DEACTIVATION` and `USER_MANAGED_BY_DIRECTORY`, which do not apply to the directory itself.
 */
export function requireActivation(writer: MemberWriter, member: Member): void {
  if (member.role === 'ORG_ADMIN') requireAdministrators(writer)
  const { actor } = writer
  if (actor.kind === 'USER' && actor.id === member.userId) {
    throw new ServiceError('OWN_DEACTIVATION', 'users cannot deactivate themselves: ask another administrator')
  }
  if (member.directoryManaged && actor.kind !== 'DIRECTORY') {
    throw new ServiceError(
      'USER_MANAGED_BY_DIRECTORY',
      'the user comes from the directory: deactivate or reactivate the user in the identity provider',
    )
  }
}

/**
 * Refuses a change that would leave the organization without an active administrator; `administrators` are the active
 * ones that decide it, undefined if it may. Throws `LAST_ADMINISTRATOR`.
 */
export function requireAdministratorLeft(
  administrators: ReadonlySet<string> | undefined,
  before: Member,
  after: Member,
): void {
  const isEnding = isActiveAdministrator(before) && !isActiveAdministrator(after)
  if (isEnding && administrators !== undefined && [...administrators].every((id) => id === before.userId)) {
    throw lastAdministrator()
  }
}

/** Whether a member administers the organization. */
export function isActiveAdministrator({ role, deactivatedAt }: Member): boolean {
  return role === 'ORG_ADMIN' && deactivatedAt === null
}

/** The error for a change that would leave the organization without an active administrator. */
export function lastAdministrator(): ServiceError {
  return new ServiceError(
    'LAST_ADMINISTRATOR',
    'the user is the only active administrator of the organization: make another user an administrator first',
  )
}
