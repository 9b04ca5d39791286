import type { AnyTransaction, PreparedQueryable, Queryable } from '../../db/queryable.js'
import type { MemberRow, MembershipRow } from '../../store/member-row.js'
import {
  findMembership,
  insertMemberships,
  lockMemberships,
  selectEmailHolders,
  selectPhoneHolders,
  updateMemberships,
} from '../../store/membership.js'
import type { Member } from './member.js'

/** Reads one member; undefined where the organization has no such member. */
export async function findMember(
  tables: Queryable,
  organizationId: string,
  userId: string,
): Promise<Member | undefined> {
  const row = await findMembership(tables, organizationId, userId)
  return row && memberFromRow(row)
}

/**
 * Reads members and holds them until the transaction ends: writers of one member wait for each other, and only for
 * each other. Rows are locked in the order of the ids. The email address is held as well.
 */
export async function lockMembers(
  transaction: AnyTransaction,
  organizationId: string,
  userIds: readonly string[],
): Promise<Member[]> {
  const rows = await lockMemberships(transaction, organizationId, userIds)
  return rows.map(memberFromRow)
}

/** A member who has an email address. */
export interface EmailHolder {
  readonly userId: string
  readonly name: string
}

/** The members of the organization with these addresses, deactivated ones included, by the key of the address. */
export async function findEmailHolders(
  tables: PreparedQueryable,
  organizationId: string,
  emailKeys: readonly string[],
): Promise<Map<string, EmailHolder>> {
  const rows = await selectEmailHolders(tables, organizationId, emailKeys)
  return new Map(rows.map(({ emailKey, ...holder }) => [emailKey, holder]))
}

/** Which members of the organization have these numbers: the id by the number. */
export async function findPhoneHolders(
  tables: PreparedQueryable,
  organizationId: string,
  phones: readonly string[],
): Promise<Map<string, string>> {
  if (phones.length === 0) return new Map()
  const rows = await selectPhoneHolders(tables, organizationId, phones)
  return new Map(rows.map(({ primaryPhone, userId }) => [primaryPhone, userId]))
}

/**
 * Writes members that the transaction has locked, in one statement, so that two of them may swap phone numbers. Email
 * addresses are not written.
 */
export async function updateMembers(
  transaction: AnyTransaction,
  organizationId: string,
  members: readonly Member[],
): Promise<void> {
  if (members.length > 0) await updateMemberships(transaction, organizationId, members.map(rowFromMember))
}

/** Adds members to the organization in the order given; the persons are there already. */
export async function insertMembers(
  transaction: AnyTransaction,
  organizationId: string,
  members: readonly Member[],
): Promise<void> {
  if (members.length > 0) await insertMemberships(transaction, organizationId, members.map(rowFromMember))
}

function memberFromRow(row: MemberRow): Member {
  const { userId, email, role, managerAssignedAt, directoryManaged, createdAt, deactivatedAt } = row
  return {
    ...{ userId, email, role, managerAssignedAt, directoryManaged, createdAt, deactivatedAt },
    profile: {
      FIRST_NAME: { value: row.firstName, owner: row.firstNameOwner, since: row.firstNameOwnedSince },
      LAST_NAME: { value: row.lastName, owner: row.lastNameOwner, since: row.lastNameOwnedSince },
      AVATAR_URL: { value: row.avatarUrl, owner: row.avatarUrlOwner, since: row.avatarUrlOwnedSince },
      TIMEZONE: { value: row.timezone, owner: row.timezoneOwner, since: row.timezoneOwnedSince },
      LOCALE: { value: row.locale, owner: row.localeOwner, since: row.localeOwnedSince },
      DEPARTMENT: { value: row.department, owner: row.departmentOwner, since: row.departmentOwnedSince },
      JOB_TITLE: { value: row.jobTitle, owner: row.jobTitleOwner, since: row.jobTitleOwnedSince },
      MANAGER: { value: row.managerUserId ?? '', owner: row.managerOwner, since: row.managerOwnedSince },
      PRIMARY_PHONE: { value: row.primaryPhone ?? '', owner: row.primaryPhoneOwner, since: row.primaryPhoneOwnedSince },
    },
  }
}

function rowFromMember({ profile, ...member }: Member): MembershipRow {
  const { FIRST_NAME, LAST_NAME, AVATAR_URL, TIMEZONE, LOCALE, DEPARTMENT, JOB_TITLE, MANAGER, PRIMARY_PHONE } = profile
  const { userId, role, managerAssignedAt, directoryManaged, createdAt, deactivatedAt } = member
  return {
    ...{ userId, role, managerAssignedAt, directoryManaged, createdAt, deactivatedAt },
    ...{ firstName: FIRST_NAME.value, firstNameOwner: FIRST_NAME.owner, firstNameOwnedSince: FIRST_NAME.since },
    ...{ lastName: LAST_NAME.value, lastNameOwner: LAST_NAME.owner, lastNameOwnedSince: LAST_NAME.since },
    ...{ avatarUrl: AVATAR_URL.value, avatarUrlOwner: AVATAR_URL.owner, avatarUrlOwnedSince: AVATAR_URL.since },
    ...{ timezone: TIMEZONE.value, timezoneOwner: TIMEZONE.owner, timezoneOwnedSince: TIMEZONE.since },
    ...{ locale: LOCALE.value, localeOwner: LOCALE.owner, localeOwnedSince: LOCALE.since },
    ...{ department: DEPARTMENT.value, departmentOwner: DEPARTMENT.owner, departmentOwnedSince: DEPARTMENT.since },
    ...{ jobTitle: JOB_TITLE.value, jobTitleOwner: JOB_TITLE.owner, jobTitleOwnedSince: JOB_TITLE.since },
    ...{ managerUserId: MANAGER.value || null, managerOwner: MANAGER.owner, managerOwnedSince: MANAGER.since },
    primaryPhone: PRIMARY_PHONE.value || null,
    primaryPhoneOwner: PRIMARY_PHONE.owner,
    primaryPhoneOwnedSince: PRIMARY_PHONE.since,
  }
}
