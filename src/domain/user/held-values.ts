import type { EmailHolder } from '../../store/email-claim.js'
import type { MemberValuesRow, ValueHolders } from '../../store/member-values.js'
import type { ManagerChains } from './manager-chain.js'

/** What is known of new values of a member until the transaction ends. The person has the new address already. */
export interface HeldValues {
  /** Who has the phone number, if somebody does. */
  readonly phones: ReadonlyMap<string, string>
  readonly chains: ManagerChains
  readonly isShared: boolean
  readonly emailHolder: EmailHolder | undefined
}

/** The name of a new manager; null if there is none. */
export function managerNameOf({ managerChain }: ValueHolders, managerUserId: string | null): string | null {
  return managerChain?.find(({ userId }) => userId === managerUserId)?.name || null
}

/** What the database tells of the values of a member, with the phone number that it gets. */
export function heldValuesFrom(
  row: ValueHolders & Partial<Pick<MemberValuesRow, 'isShared'>>,
  primaryPhone: string | null,
): HeldValues {
  const { managerChain, phoneHolderId, isShared = false, emailHolderId, emailHolderName } = row
  return {
    phones: new Map(primaryPhone !== null && phoneHolderId !== null ? [[primaryPhone, phoneHolderId]] : []),
    chains: new Map((managerChain ?? []).map(({ userId, managerUserId }) => [userId, managerUserId])),
    isShared,
    emailHolder: emailHolderId === null ? undefined : { userId: emailHolderId, name: emailHolderName ?? '' },
  }
}
