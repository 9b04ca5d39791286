import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner } from '../../gen/prisma/enums.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { type Columns, createStatement, type Parameter } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type OwnedField, type OwnedPlace, ownedPlaces, perOwnedField } from './owned-column.js'
import { camelCase } from './resource/resource.js'

/** The state of a field: its value (empty means none), its owner, and since when it has that owner. */
export interface OwnedValue {
  readonly value: string
  readonly owner: FieldOwner
  readonly since: Date
}

/** A row of `memberColumns`. */
export type MemberColumns = Omit<MembershipModel, 'organizationId' | 'emailKey' | 'ordinal'>

/** A person in one organization. */
export type MemberRow = Readonly<Omit<MemberColumns, OwnedPlace['value' | 'owner' | 'since']>> & {
  readonly profile: Readonly<Record<OwnedField, OwnedValue>>
}

const apart: readonly string[] = ['organization_id', 'email_key', 'ordinal']
const kept = Object.entries(schema.Membership.columns)
  .filter(([column]) => !apart.includes(column))
  .map(([column, { type }]) => ({ column, name: camelCase(column), type }))
/** The columns that can change. */
const changing = kept.filter(({ name }) => name !== 'userId' && name !== 'createdAt')
const ofProfile = new Set<string>(ownedPlaces.flatMap(({ value, owner, since }) => [value, owner, since]))
/** What of a member is not in the profile. */
const plain = kept.map(({ name }) => name).filter((name) => !ofProfile.has(name)) as (keyof MemberColumns)[]

/** The types of the columns of `memberColumns`. */
export const memberColumnTypes = Object.fromEntries(
  kept.map(({ name, type }) => [name, type]),
) as Columns<MemberColumns>

/** A comma-separated list with a text for each column. */
function listOf(some: typeof kept, text: (each: (typeof kept)[number]) => string): Prisma.Sql {
  return Prisma.raw(some.map(text).join(', '))
}

/** The columns of a member `m`. */
export const memberColumns = listOf(kept, ({ name, column }) => `m.${column} AS "${name}"`)

const locked = (organizationId: Parameter, isWanted: Prisma.Sql) => Prisma.sql`
SELECT ${memberColumns}
  FROM memberships m
 WHERE m.organization_id = ${organizationId} AND ${isWanted}
 ORDER BY m.user_id
   FOR NO KEY UPDATE`

const lock = createStatement<{ readonly organizationId: string; readonly userIds: readonly string[] }, MemberColumns>({
  name: 'lock_members',
  columns: memberColumnTypes,
  text: ({ organizationId, userIds }) => locked(organizationId, Prisma.sql`m.user_id = ANY (${userIds})`),
})

/**
 * Separate from `lock_members`, because PostgreSQL keeps no plan for lists: planning each time would take six times as
 * long.
 */
const lockOne = createStatement<{ readonly organizationId: string; readonly userId: string }, MemberColumns>({
  name: 'lock_member',
  columns: memberColumnTypes,
  text: ({ organizationId, userId }) => locked(organizationId, Prisma.sql`m.user_id = ${userId}`),
})

const recordType = listOf(kept, ({ name, type }) => `"${name}" ${type.replace(/^enum /, '')}`)

/** Of several members at once, so that a number can go from one to the other. */
const change = createStatement<
  { readonly organizationId: string; readonly userIds: readonly string[]; readonly members: string },
  Record<never, never>
>({
  name: 'change_members',
  columns: {},
  // Found by their ids: a kept plan, which expects a hundred rows from JSON, would read all members.
  text: ({ organizationId, userIds, members }) => Prisma.sql`
UPDATE memberships m SET ${listOf(changing, ({ column, name }) => `${column} = r."${name}"`)}
  FROM json_to_recordset(${members}) AS r (${recordType})
 WHERE m.organization_id = ${organizationId} AND m.user_id = ANY (${userIds}) AND m.user_id = r."userId"`,
})

/** The statements of this file. */
export const memberStatements = [lock, lockOne, change]

/** Whether the person is a member of the organization who is not deactivated. */
export async function hasActiveMember(tables: Tables, organizationId: string, userId: string): Promise<boolean> {
  const where = { organizationId_userId: { organizationId, userId }, deactivatedAt: null }
  return (await tables.models.membership.findUnique({ where, select: { userId: true } })) !== null
}

/** Active administrators of the organization: all of them, or as many as `most`. */
export async function findAdministrators({ models }: Tables, organizationId: string, most: number): Promise<string[]> {
  const where = { organizationId, role: 'ORG_ADMIN', deactivatedAt: null } as const
  const found = await models.membership.findMany({ where, select: { userId: true }, take: most })
  return found.map(({ userId }) => userId)
}

/** Who manages a member, and since when; undefined if the organization has no such member. */
export async function findManager(
  tables: Tables,
  organizationId: string,
  userId: string,
): Promise<Pick<MembershipModel, 'managerUserId' | 'managerAssignedAt'> | undefined> {
  const where = { organizationId_userId: { organizationId, userId } }
  const select = { managerUserId: true, managerAssignedAt: true }
  return (await tables.models.membership.findUnique({ where, select })) ?? undefined
}

/**
 * Reads members and locks them until the transaction ends: writers of one member wait for each other, and only for each
 * other. Rows are locked in id order.
 */
export async function lockMembers(
  transaction: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  const [userId, ...others] = userIds
  if (userId === undefined) return []
  const rows = await (others.length === 0
    ? transaction.run(lockOne, { organizationId, userId })
    : transaction.run(lock, { organizationId, userIds }))
  return rows.map(memberFrom)
}

/** The keys of the addresses that members of the organization currently have. */
export async function findEmailKeys(
  { models }: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<string[]> {
  if (userIds.length === 0) return []
  const where = { organizationId, userId: { in: [...userIds] } }
  return (await models.membership.findMany({ where, select: { emailKey: true } })).map(({ emailKey }) => emailKey)
}

/** Writes members: those who are not in the table yet, in the order given, and others, whom the transaction has locked. */
export async function writeMembers(
  tables: Tables,
  organizationId: string,
  added: readonly MemberRow[],
  changed: readonly MemberRow[],
): Promise<void> {
  await insertMembers(tables, organizationId, changed.length === 0 ? added : added.map(withoutPhone))
  if (changed.length === 0) return
  // With the changes, because a number may go from one of those members to one who is new.
  const members = [...added.filter(({ profile }) => profile.PRIMARY_PHONE.value !== ''), ...changed]
  const userIds = members.map(({ userId }) => userId)
  await tables.run(change, { organizationId, userIds, members: JSON.stringify(members.map(rowOf)) })
}

/** One by `create`, whose plan Prisma keeps, since it plans each `createMany` anew. */
async function insertMembers({ models }: Tables, organizationId: string, members: readonly MemberRow[]): Promise<void> {
  const data = members.map((member) => newRowOf(organizationId, member))
  const [only, ...others] = data
  if (only === undefined) return
  if (others.length > 0) await models.membership.createMany({ data })
  else await models.membership.create({ data: only, select: { userId: true } })
}

function withoutPhone(member: MemberRow): MemberRow {
  const PRIMARY_PHONE = { ...member.profile.PRIMARY_PHONE, value: '' }
  return { ...member, profile: { ...member.profile, PRIMARY_PHONE } }
}

/** A row to be added; Prisma tells no JSON from the JSON null. */
function newRowOf(organizationId: string, member: MemberRow) {
  const { directoryAttributes, ...row } = rowOf(member)
  return { organizationId, ...row, directoryAttributes: directoryAttributes ?? Prisma.DbNull }
}

/** The member of a row. */
export function memberFrom(row: MemberColumns): MemberRow {
  const profile = perOwnedField(({ value, owner, since }) => {
    return { value: row[value] ?? '', owner: row[owner], since: row[since] }
  })
  return { ...(Object.fromEntries(plain.map((name) => [name, row[name]])) as Omit<MemberRow, 'profile'>), profile }
}

/** The row of a member. */
function rowOf({ profile, ...member }: MemberRow): MemberColumns {
  const values: Record<string, unknown> = { ...member }
  for (const { field, value, owner, since, isNullable } of ownedPlaces) {
    const held = profile[field]
    values[value] = isNullable && held.value === '' ? null : held.value
    values[owner] = held.owner
    values[since] = held.since
  }
  return Object.fromEntries(kept.map(({ name }) => [name, values[name]])) as MemberColumns
}
