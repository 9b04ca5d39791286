import type { Tables } from '../../db/tables.js'
import { findDirectoryAccounts } from '../../store/directory/user.js'
import { findValueHolders } from '../../store/member-value.js'
import { emailKeyOf } from '../value/email-address.js'

interface DirectoryNames {
  readonly userName?: string | undefined
  readonly email?: string | undefined
  readonly externalId?: string | undefined
}

export type NamedMember = Awaited<ReturnType<typeof findNamedMembers>>[number]

/**
 * The members who have one of the names, including deactivated and deleted ones, oldest first. A member without a user
 * name has the email address as user name.
 */
export async function findNamedMembers(
  tables: Tables,
  organizationId: string,
  { userName, email, externalId }: DirectoryNames,
) {
  const given = (name: string | undefined) => (name === undefined ? [] : [name])
  const emailKeys = new Set([...given(userName), ...given(email)].map(emailKeyOf))
  const names = { emails: [...emailKeys], userNames: given(userName), externalIds: given(externalId) }
  const holders = await findValueHolders(tables, organizationId, names)
  if (holders.length === 0) return []
  const userIds = [...new Set(holders.map((holder) => holder.userId))]
  const members = await findDirectoryAccounts(tables, organizationId, userIds)
  return members.map((member) => {
    const own = holders.filter(({ userId }) => userId === member.userId)
    const addresses = own.flatMap(({ kind, value }) => (kind === 'emails' ? value : []))
    const hasAddress = (name: string | undefined) => name !== undefined && addresses.includes(emailKeyOf(name))
    const hasOtherName = own.some((holder) => holder.hasUserName)
    return {
      ...member,
      has: {
        externalId: own.some(({ kind }) => kind === 'externalIds'),
        userName: own.some(({ kind }) => kind === 'userNames') || (!hasOtherName && hasAddress(userName)),
        email: hasAddress(email),
      },
    }
  })
}
