import type { Tables } from '../../db/tables.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { holdNewMember } from '../../store/member-values.js'
import { valuesSet } from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'
import { takenValueError } from '../value/taken-value.js'
import { changeHeldMembers } from './change-member.js'
import { newPhones } from './field-claim.js'
import { heldValuesFrom, managerNameOf } from './held-values.js'
import { type Member, newMember } from './member.js'
import type { MemberChange, MemberWriter } from './member-change.js'
import { emailTaken } from './member-email.js'
import type { HeldMembers } from './member-hold.js'
import { memberTransaction } from './member-transaction.js'

/** A member who was added, with the name of the manager; null without one. */
export interface AddedMember {
  readonly member: Member
  readonly managerName: string | null
}

/**
 * Adds whoever has an email address to the organization, in a transaction of its own and in two statements: one holds the
 * address and the other values that not every member can have, one writes. Throws what `changeMembers` throws.
 */
export function addMember(
  database: Tables,
  writer: MemberWriter,
  email: string,
  change: Omit<MemberChange, 'target' | 'email'>,
  context: WriteContext,
): Promise<AddedMember> {
  const { organizationId } = writer
  const { commands, directory } = change
  const emailKey = emailKeyOf(email)
  const managerUserId = valuesSet(commands, 'MANAGER')[0] ?? null
  const primaryPhone = newPhones(commands, undefined)[0] ?? null
  return memberTransaction(database, async (transaction) => {
    const known = await holdNewMember(transaction, {
      organizationId,
      newUserId: context.runtime.newId(),
      managerUserId,
      email,
      emailKey,
      userNameKey: emailKeyOf(directory?.directoryUserName ?? email),
      primaryPhone,
    })
    const values = heldValuesFrom(known, primaryPhone)
    if (values.emailHolder !== undefined) throw emailTaken(values.emailHolder)
    if (known.nameHolderId !== null) throw takenValueError('user name of member')
    const { personId, personEmail } = known
    if (personId === null || personEmail === null) throw new Error('no user was created')
    const member = newMember({ id: personId, email: personEmail, emailKey }, context.runtime.now())
    const members: HeldMembers['members'] = new Map([[personId, member]])
    const holding = { members, joining: new Set([personId]), idsByEmail: new Map([[emailKey, personId]]), values }
    const changes = [Object.assign({ target: { email } }, change)]
    const [added] = await changeHeldMembers(transaction, writer, changes, holding, context)
    if (added === undefined) throw new Error('the change returned no result')
    return { member: added.member, managerName: managerNameOf(known, managerUserId) }
  })
}
