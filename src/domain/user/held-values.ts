import type { EmailHolder } from '../../store/email-claim.js'
import type { ManagerChains } from './manager-chain.js'

/** What is known of new values of a member until the transaction ends. The person has the new address already. */
export interface HeldValues {
  /** Who has the phone number, if somebody does. */
  readonly phones: ReadonlyMap<string, string>
  readonly chains: ManagerChains
  readonly isShared: boolean
  readonly emailHolder: EmailHolder | undefined
}
