import type { Tables } from '../../db/tables.js'
import { invalidField, ServiceError } from '../../errors.js'
import { type EmailHolder, findEmailHolders } from '../../store/email-claim.js'
import { countMemberships, updateEmailOfPerson } from '../../store/person.js'
import { permissionMissing } from '../caller/caller.js'
import { emailKeyOf } from '../value/email-address.js'
import type { HeldValues } from './held-values.js'
import type { Member } from './member.js'
import type { MemberChange, MemberWriter } from './member-change.js'

/**
 * The error for an address that a member of the organization already has; it names the holder
 * (docs/field-ownership.md).
 */
export function emailTaken({ userId, name }: EmailHolder): ServiceError {
  const holder = name === '' ? `user ${userId}` : `${name} (user ${userId})`
  return new ServiceError(
    'EMAIL_TAKEN',
    `the email address belongs to ${holder}: choose another one, or update that user`,
    {
      metadata: { holderId: userId, holderName: name },
    },
  )
}

/**
 * Gives the person of a locked member the address of the change, if it has one, in every membership; case does not
 * count. Returns the member's address afterwards. Throws, in this order, `PERMISSION_MISSING`, `EMAIL_CHANGE_NOT_ALONE` and
 * `EMAIL_MANAGED_BY_DIRECTORY`, which do not apply to the directory itself, `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`, and
 * `EMAIL_TAKEN` with the holder. Both addresses are locked. With `values`, the person has the address already, unless
 * they say why not.
 */
export async function changeEmail(
  transaction: Tables,
  writer: MemberWriter,
  { userId, email: held, role: heldRole, directoryManaged }: Member,
  { email = held, role, commands }: MemberChange,
  values: HeldValues | undefined,
): Promise<string> {
  const emailKey = emailKeyOf(email)
  if (emailKey === emailKeyOf(held)) return held
  const { organizationId, actor, rights = 'profiles' } = writer
  if (rights === 'profiles') throw permissionMissing('users:write')
  if (heldRole === 'ORG_ADMIN') requireAdministrators(writer)
  if (actor.kind !== 'DIRECTORY') {
    // Any other field counts, whatever its value: even writing the current value may take ownership.
    if (role !== undefined || commands.length > 0) throw changeNotAlone()
    if (directoryManaged) throw managedByDirectory()
  }
  if (values !== undefined) {
    if (values.isShared) throw sharedBetweenOrganizations()
    if (values.emailHolder !== undefined) throw emailTaken(values.emailHolder)
    return email
  }
  const requireOneOrganization = async () => {
    if ((await countMemberships(transaction, userId)) > 1) throw sharedBetweenOrganizations()
  }
  await requireOneOrganization()
  const holder = (await findEmailHolders(transaction, organizationId, [emailKey])).get(emailKey)
  if (holder !== undefined && holder.userId !== userId) throw emailTaken(holder)
  await updateEmailOfPerson(transaction, { id: userId, email, emailKey })
  // An import may have added one, which the write has waited for.
  await requireOneOrganization()
  return email
}

/** Refuses a writer who may not change who is an administrator, or an administrator's address. */
export function requireAdministrators({ rights }: MemberWriter): void {
  if (rights === 'administrators') return
  throw new ServiceError(
    'PERMISSION_MISSING',
    'only administrators and organization API keys with every permission can grant or revoke the administrator role, or change the email address of an administrator: use such a credential',
    { metadata: { permission: 'USER_ROLE_ORG_ADMIN' } },
  )
}

function changeNotAlone(): ServiceError {
  return invalidField(
    'email',
    'must be the only change in a request: send the other changes separately',
    'EMAIL_CHANGE_NOT_ALONE',
  )
}

function managedByDirectory(): ServiceError {
  return new ServiceError(
    'EMAIL_MANAGED_BY_DIRECTORY',
    'the user comes from the directory: change the email address in the identity provider',
  )
}

function sharedBetweenOrganizations(): ServiceError {
  return new ServiceError(
    'EMAIL_SHARED_BETWEEN_ORGANIZATIONS',
    'the user belongs to several organizations, so none of them can change the email address: leave it unchanged',
  )
}
