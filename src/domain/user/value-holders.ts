import type { ValueHolder } from '../../store/member-value.js'
import { emailKeyOf, userNameKeyOf } from '../value/email-address.js'
import type { Member } from './member.js'

type Holder = Pick<ValueHolder, 'userId'>

/** Who else has a value that only one member can have; undefined if the member can have it. */
export function otherHolder<Each extends Holder>(
  holders: ReadonlyMap<string, Each>,
  value: string,
  userId: string,
): Each | undefined {
  const holder = holders.get(value)
  return holder?.userId === userId ? undefined : holder
}

/** Who has values that only one member can have. */
export interface HoldersByValue {
  /** Addresses, by their keys; newcomers do not have theirs yet. */
  readonly emails: ReadonlyMap<string, ValueHolder>
  /** The holders of directory user names, by the key of the name. */
  readonly userNames: ReadonlyMap<string, Holder>
  /** The holders of directory external ids. */
  readonly externalIds: ReadonlyMap<string, Holder>
  readonly phones: ReadonlyMap<string, Holder>
}

/** Tracks the holders of values while changes are applied. */
export class ValueHolders implements HoldersByValue {
  readonly emails: Map<string, ValueHolder>
  readonly userNames: Map<string, Holder>
  readonly externalIds: Map<string, Holder>
  readonly phones: Map<string, Holder>

  /** `members` are those who are locked. */
  constructor({ emails, userNames, externalIds, phones }: HoldersByValue, members: ReadonlyMap<string, Member>) {
    this.emails = new Map(emails)
    this.userNames = new Map(userNames)
    this.externalIds = new Map(externalIds)
    // Members may have lost a number between the reading of these and their own lock.
    this.phones = new Map(
      [...phones].filter(
        ([phone, { userId }]) => (members.get(userId)?.profile.PRIMARY_PHONE.value ?? phone) === phone,
      ),
    )
  }

  /** The ids of those who have any of the names. */
  named({ email, userName, externalId }: Readonly<Record<'email' | 'userName' | 'externalId', string>>): Set<string> {
    const holders = [
      this.emails.get(emailKeyOf(email)),
      this.emails.get(emailKeyOf(userName)),
      this.userNames.get(userNameKeyOf(userName)),
      this.externalIds.get(externalId),
    ]
    return new Set(holders.flatMap((holder) => holder?.userId ?? []))
  }

  /** Notes what a member has in place of what it had. */
  move(before: Member, member: Member): void {
    const { userId, email, profile, directoryUserName } = member
    const emailKey = emailKeyOf(email)
    const name = `${profile.FIRST_NAME.value} ${profile.LAST_NAME.value}`.trim()
    const [hasUserName, isDeleted] = [directoryUserName !== null, member.directoryDeletedAt !== null]
    const holder: ValueHolder = { kind: 'emails', value: email, userId, name, hasUserName, isDeleted }
    move(this.emails, emailKeyOf(before.email), emailKey, holder)
    if ((this.emails.get(emailKey) ?? holder).userId === userId) this.emails.set(emailKey, holder)
    if (directoryUserName !== before.directoryUserName) {
      const [old, now] = [before, member].map((each) => userNameKeyOf(each.directoryUserName ?? ''))
      move(this.userNames, old ?? '', now ?? '', holder)
    }
    move(this.externalIds, before.directoryExternalId ?? '', member.directoryExternalId ?? '', holder)
    move(this.phones, before.profile.PRIMARY_PHONE.value, profile.PRIMARY_PHONE.value, holder)
  }
}

function move<Each extends Holder>(holders: Map<string, Each>, before: string, value: string, holder: Each): void {
  if (value === before) return
  // Somebody else may have it by now.
  if (holders.get(before)?.userId === holder.userId) holders.delete(before)
  if (value !== '') holders.set(value, holder)
}
