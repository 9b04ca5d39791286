import type { Tables } from '../../db/tables.js'
import type { ServiceError } from '../../errors.js'
import { claimPhones } from '../../store/phone-claim.js'
import { type FieldCommand, type GovernedField, valuesSet } from '../profile/field-ownership.js'
import { fieldNames } from '../profile/profile-value.js'
import { takenValueError } from '../value/taken-value.js'
import type { HeldValues } from './held-values.js'
import { managerFault, readManagerChains } from './manager-chain.js'
import type { Member } from './member.js'
import type { MemberWriter } from './member-change.js'

/** A value that is about to be stored, and the one that it replaces. */
export interface FieldClaim {
  readonly userId: string
  readonly field: GovernedField
  readonly value: string
  readonly replaced: string
}

/** Commands for members who are locked. */
export interface WantedFields {
  readonly wanted: readonly { readonly userId: string; readonly commands: readonly FieldCommand[] }[]
  readonly members: ReadonlyMap<string, Member>
  /** The ids of those who are not in the tables yet. */
  readonly joining: ReadonlySet<string>
  /** What is known already; otherwise it is claimed and read. */
  readonly values?: HeldValues | undefined
}

/** Claims on the values that not every member can have. */
export interface FieldClaims {
  /** Why the member cannot have the value; undefined if the member can, and has it from now on. */
  readonly take: (claim: FieldClaim) => ServiceError | undefined
  /** The departments that were taken. */
  readonly departments: ReadonlySet<string>
}

/**
 * Claims the phone numbers that the changes set, and reads the managers. Every manager in a request must be valid, even
 * if the field is left alone: throws `MANAGER_NOT_FOUND`, `MANAGER_IS_SELF` and `MANAGER_CYCLE`.
 */
export async function claimFields(
  transaction: Tables,
  { organizationId, isPublication = false, managerField = fieldNames.MANAGER }: MemberWriter,
  { wanted, members, joining, values }: WantedFields,
): Promise<FieldClaims> {
  const numbers = wanted.flatMap(({ userId, commands }) => newPhones(commands, members.get(userId)))
  const phones = new Map(values?.phones ?? (await claimPhones(transaction, organizationId, numbers)))
  const managers = wanted.flatMap(({ commands }) => valuesSet(commands, 'MANAGER'))
  const chains = new Map(values?.chains ?? (await readManagerChains(transaction, organizationId, managers)))
  for (const userId of joining) chains.set(userId, null)
  const managerFaultOf = (userId: string, managerUserId: string) =>
    managerFault(chains, { userId, managerUserId, field: managerField })
  for (const { userId, commands } of isPublication ? [] : wanted) {
    for (const manager of valuesSet(commands, 'MANAGER')) {
      const fault = managerFaultOf(userId, manager)
      if (fault !== undefined) throw fault
    }
  }

  const takeManager = ({ userId, value }: FieldClaim) => {
    const fault = value === '' ? undefined : managerFaultOf(userId, value)
    if (fault === undefined) chains.set(userId, value || null)
    return fault
  }
  const takePhone = ({ userId, value, replaced }: FieldClaim) => {
    if ((phones.get(value) ?? userId) !== userId) return takenValueError('phone number of member')
    phones.delete(replaced)
    if (value !== '') phones.set(value, userId)
    return undefined
  }
  const departments = new Set<string>()
  return {
    departments,
    take: (claim) => {
      if (claim.field === 'MANAGER') return takeManager(claim)
      if (claim.field === 'PRIMARY_PHONE') return takePhone(claim)
      if (claim.field === 'DEPARTMENT' && claim.value !== '') departments.add(claim.value)
      return undefined
    },
  }
}

/** The phone numbers that commands give a member who does not have them. */
export function newPhones(commands: readonly FieldCommand[], member: Member | undefined): string[] {
  return valuesSet(commands, 'PRIMARY_PHONE').filter((phone) => phone !== member?.profile.PRIMARY_PHONE.value)
}
