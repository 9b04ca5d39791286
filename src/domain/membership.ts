import type { FieldOwner, UserRole } from '../../gen/prisma/enums.js'
import type { Sql } from '../db/sql.js'
import { type GovernedField, governedFields, profileOf } from './field-ownership.js'
import type { Member, NewMember } from './member.js'

const columnOf = {
  FIRST_NAME: 'first_name',
  LAST_NAME: 'last_name',
  AVATAR_URL: 'avatar_url',
  TIMEZONE: 'timezone',
  LOCALE: 'locale',
  DEPARTMENT: 'department',
  JOB_TITLE: 'job_title',
  MANAGER: 'manager_user_id',
  PRIMARY_PHONE: 'primary_phone',
} as const satisfies Record<GovernedField, string>

/** The column of a governed field without the ending `_owner` or `_owned_since`. */
export const ownedColumnOf = { ...columnOf, MANAGER: 'manager' } as const

type ValueColumn = (typeof columnOf)[GovernedField]
type OwnedColumn = (typeof ownedColumnOf)[GovernedField]
type MemberRow = Readonly<Record<ValueColumn, string | null>> &
  Readonly<Record<`${OwnedColumn}_owner`, FieldOwner>> &
  Readonly<Record<`${OwnedColumn}_owned_since`, Date>> & {
    readonly user_id: string
    readonly email: string
    readonly role: UserRole
    readonly manager_assigned_at: Date | null
    readonly directory_managed: boolean
    readonly created_at: Date
    readonly deactivated_at: Date | null
    readonly ordinal: string
  }

const governedColumns = governedFields.flatMap((field) => [
  columnOf[field],
  `${ownedColumnOf[field]}_owner`,
  `${ownedColumnOf[field]}_owned_since`,
])
const writtenColumns = ['role', 'manager_assigned_at', 'directory_managed', 'deactivated_at', ...governedColumns]

const selectMembers = `
SELECT m.user_id, u.email, m.created_at, m.ordinal, ${writtenColumns.map((column) => `m.${column}`).join(', ')}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE m.organization_id = $1`

/** Reads one member; undefined where the organization has no such member. */
export async function findMember(sql: Sql, organizationId: string, userId: string): Promise<Member | undefined> {
  const rows = await sql.query<MemberRow>(
    `${selectMembers} AND m.user_id = $2`,
    [organizationId, userId],
    'find_member',
  )
  return rows.map(memberFromRow)[0]
}

/**
 * Reads members and holds them until the transaction ends: writers of one member wait for each other, and only for
 * each other. Rows are locked in the order of the ids. The email address is held as well.
 */
export async function lockMembers(sql: Sql, organizationId: string, userIds: readonly string[]): Promise<Member[]> {
  const rows = await sql.query<MemberRow>(
    `${selectMembers} AND m.user_id = ANY ($2) ORDER BY m.user_id FOR NO KEY UPDATE OF m FOR KEY SHARE OF u`,
    [organizationId, userIds],
    'lock_members',
  )
  return rows.map(memberFromRow)
}

/** A member who has an email address. */
export interface EmailHolder {
  readonly userId: string
  readonly name: string
}

/** The members of the organization with these addresses, deactivated ones included, by the key of the address. */
export async function findEmailHolders(
  sql: Sql,
  organizationId: string,
  emailKeys: readonly string[],
): Promise<Map<string, EmailHolder>> {
  const rows = await sql.query<{ email_key: string; user_id: string; name: string }>(
    `SELECT email_key, user_id, trim(first_name || ' ' || last_name) AS name
       FROM memberships WHERE organization_id = $1 AND email_key = ANY ($2)`,
    [organizationId, emailKeys],
    'find_email_holders',
  )
  return new Map(rows.map((row) => [row.email_key, { userId: row.user_id, name: row.name }]))
}

/** Which members of the organization have these numbers: the id by the number. */
export async function findPhoneHolders(
  sql: Sql,
  organizationId: string,
  phones: readonly string[],
): Promise<Map<string, string>> {
  if (phones.length === 0) return new Map()
  const rows = await sql.query<{ user_id: string; primary_phone: string }>(
    'SELECT user_id, primary_phone FROM memberships WHERE organization_id = $1 AND primary_phone = ANY ($2)',
    [organizationId, phones],
    'find_phone_holders',
  )
  return new Map(rows.map((row) => [row.primary_phone, row.user_id]))
}

/** The type of each column of a row of JSON. */
const recordColumns = writtenColumns
  .map((column) => {
    if (column === 'role') return 'role user_role'
    if (column === 'directory_managed') return 'directory_managed boolean'
    if (column.endsWith('_owner')) return `${column} field_owner`
    return /_(since|at)$/.test(column) ? `${column} timestamptz` : `${column} text`
  })
  .join(', ')

const updateStatement = `
UPDATE memberships m
   SET ${writtenColumns.map((column) => `${column} = r.${column}`).join(', ')}
  FROM json_to_recordset($2) AS r (user_id text, ${recordColumns})
 WHERE m.organization_id = $1 AND m.user_id = r.user_id`

/**
 * Writes members that the transaction has locked, in one statement, so that two of them may swap phone numbers. Email
 * addresses are not written.
 */
export async function updateMembers(sql: Sql, organizationId: string, members: readonly Member[]): Promise<void> {
  if (members.length === 0) return
  await sql.execute(updateStatement, [organizationId, JSON.stringify(members.map(rowFromMember))], 'update_members')
}

const insertStatement = `
INSERT INTO memberships (organization_id, user_id, email_key, created_at, ${writtenColumns.join(', ')})
SELECT $1, r.user_id, u.email_key, r.created_at, ${writtenColumns.map((column) => `r.${column}`).join(', ')}
  FROM ROWS FROM (json_to_recordset($2) AS (user_id text, created_at timestamptz, ${recordColumns}))
       WITH ORDINALITY AS r (user_id, created_at, ${writtenColumns.join(', ')}, place)
  JOIN users u ON u.id = r.user_id
 ORDER BY r.place`

/** Adds members to the organization in the order given; the persons are there already. */
export async function insertMembers(sql: Sql, organizationId: string, members: readonly NewMember[]): Promise<void> {
  if (members.length === 0) return
  await sql.execute(insertStatement, [organizationId, JSON.stringify(members.map(rowFromMember))], 'insert_members')
}

function memberFromRow(row: MemberRow): Member {
  return {
    userId: row.user_id,
    email: row.email,
    role: row.role,
    profile: profileOf((field) => ({
      value: row[columnOf[field]] ?? '',
      owner: row[`${ownedColumnOf[field]}_owner`],
      since: row[`${ownedColumnOf[field]}_owned_since`],
    })),
    managerAssignedAt: row.manager_assigned_at,
    directoryManaged: row.directory_managed,
    createdAt: row.created_at,
    deactivatedAt: row.deactivated_at,
    ordinal: row.ordinal,
  }
}

function rowFromMember(member: NewMember): Record<string, unknown> {
  const row: Record<string, unknown> = {
    user_id: member.userId,
    created_at: member.createdAt,
    role: member.role,
    manager_assigned_at: member.managerAssignedAt,
    directory_managed: member.directoryManaged,
    deactivated_at: member.deactivatedAt,
  }
  for (const field of governedFields) {
    const { value, owner, since } = member.profile[field]
    const isNullable = field === 'MANAGER' || field === 'PRIMARY_PHONE'
    row[columnOf[field]] = isNullable && value === '' ? null : value
    row[`${ownedColumnOf[field]}_owner`] = owner
    row[`${ownedColumnOf[field]}_owned_since`] = since
  }
  return row
}
