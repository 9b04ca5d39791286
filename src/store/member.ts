import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner } from '../../gen/prisma/enums.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { jsonInSlices } from '../db/slices.js'
import { type Columns, createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type OwnedField, type OwnedPlace, ownedPlaces, perOwnedField } from './owned-column.js'
import { camelCase } from './resource/resource.js'
import { createRowLock } from './row-lock.js'

/** The state of a field: its value (empty means none), its owner, and since when it has that owner. */
export interface OwnedValue {
  readonly value: string
  readonly owner: FieldOwner
  readonly since: Date
}

/** A member of an organization. */
export type MemberKey = Pick<MembershipModel, 'organizationId' | 'userId'>

/** A row of `memberColumns`. */
export type MemberColumns = Omit<MembershipModel, 'organizationId' | 'emailKey' | 'ordinal' | 'version'>

/** A row with these columns as a member, whose governed fields are the profile. */
export type MemberOf<Row extends MemberColumns> = Readonly<Omit<Row, OwnedPlace['value' | 'owner' | 'since']>> & {
  readonly profile: Readonly<Record<OwnedField, OwnedValue>>
}

/** A person in one organization. */
export type MemberRow = MemberOf<MemberColumns>

const separateColumns: readonly string[] = ['organization_id', 'email_key', 'ordinal', 'version']
const columns = Object.entries(schema.Membership.columns)
  .filter(([column]) => !separateColumns.includes(column))
  .map(([column, { type }]) => ({ column, name: camelCase(column), type }))
/** The columns that can change. */
const changedColumns = columns.filter(({ name }) => name !== 'userId' && name !== 'createdAt')
const ofProfile = new Set<string>(ownedPlaces.flatMap(({ value, owner, since }) => [value, owner, since]))

/** The types of the columns of `memberColumns`. */
export const memberColumnTypes = Object.fromEntries(
  columns.map(({ name, type }) => [name, type]),
) as Columns<MemberColumns>

/** A comma-separated list with a text for each column. */
function listOf(some: typeof columns, text: (each: (typeof columns)[number]) => string): Prisma.Sql {
  return Prisma.raw(some.map(text).join(', '))
}

/** The columns of a member `m`. */
export const memberColumns = listOf(columns, ({ name, column }) => `m.${column} AS "${name}"`)

const lock = createRowLock<MemberColumns>({
  name: 'lock_memberships',
  table: schema.Membership,
  strength: 'NO KEY UPDATE',
  read: Object.fromEntries(columns.map(({ name }) => [name, true])) as Record<keyof MemberColumns, true>,
  key: 'user_id',
})

const recordType = listOf(columns, ({ name, type }) => `"${name}" ${type.replace(/^enum /, '')}`)

/**
 * Adds members and changes others, checked together: a number can go from one to the other, and either can manage the
 * other.
 */
const write = createStatement<{ readonly organizationId: string; readonly members: string }, Record<never, never>>({
  name: 'write_members',
  columns: {},
  text: ({ organizationId, members }) => Prisma.sql`
INSERT INTO memberships AS m (organization_id, ${listOf(columns, ({ column }) => column)})
SELECT ${organizationId}, ${listOf(columns, ({ name }) => `r."${name}"`)}
  FROM ROWS FROM (json_to_recordset(${members}) AS (${recordType}))
       WITH ORDINALITY AS r (${listOf(columns, ({ name }) => `"${name}"`)}, place)
 ORDER BY r.place
    ON CONFLICT (organization_id, user_id) DO UPDATE SET ${listOf(changedColumns, ({ column }) => `${column} = EXCLUDED.${column}`)},
           version = m.version + 1`,
})

/** Apart from `write_members`: a cluster would give each row an ordinal first, and commit them in two phases. */
const change = createStatement<
  { readonly organizationId: string; readonly userIds: readonly string[]; readonly members: string },
  Record<never, never>
>({
  name: 'change_members',
  columns: {},
  // Found by their ids: a kept plan, which expects a hundred rows from JSON, would read all members.
  text: ({ organizationId, userIds, members }) => Prisma.sql`
UPDATE memberships m SET ${listOf(changedColumns, ({ column, name }) => `${column} = r."${name}"`)},
       version = m.version + 1
  FROM json_to_recordset(${members}) AS r (${recordType})
 WHERE m.organization_id = ${organizationId} AND m.user_id = ANY (${userIds}) AND m.user_id = r."userId"`,
})

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
export async function lockMemberRows(
  transaction: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  if (userIds.length === 0) return []
  return (await transaction.run(lock, { organizationId, ids: userIds })).map(memberFrom)
}

/**
 * Writes members in the order given: those who are not in the table yet, and others, whom the transaction has locked.
 * One who is added alone is created through the model, which a cluster sends to one node; a thousand would take it
 * 1.6 s instead of 0.65.
 */
export async function writeMembers(
  { models, run }: Tables,
  organizationId: string,
  added: readonly MemberRow[],
  changed: readonly MemberRow[],
): Promise<void> {
  const all = [...added, ...changed]
  const [first, ...others] = all
  if (first === undefined) return
  const members = () => jsonInSlices(all, rowOf)
  if (added.length === 0) {
    await run(change, { organizationId, userIds: all.map(({ userId }) => userId), members: await members() })
  } else if (others.length === 0) {
    await models.membership.create({ data: newRowOf(organizationId, first), select: { userId: true } })
  } else await run(write, { organizationId, members: await members() })
}

/** A row to be added; Prisma does not distinguish no JSON from the JSON null. */
function newRowOf(organizationId: string, member: MemberRow) {
  const { directoryAttributes, ...row } = rowOf(member)
  return { organizationId, ...row, directoryAttributes: directoryAttributes ?? Prisma.DbNull }
}

/** The member of a row. */
export function memberFrom<Row extends MemberColumns>(row: Row): MemberOf<Row> {
  const profile = perOwnedField(({ value, owner, since }) => {
    return { value: row[value] ?? '', owner: row[owner], since: row[since] }
  })
  const others = Object.entries(row).filter(([name]) => !ofProfile.has(name))
  return Object.fromEntries([...others, ['profile', profile]]) as MemberOf<Row>
}

/** The row of a member. */
function rowOf({ profile, ...member }: MemberRow): MemberColumns {
  const row: Record<string, unknown> = member
  for (const { field, value, owner, since, isNullable } of ownedPlaces) {
    const held = profile[field]
    row[value] = isNullable && held.value === '' ? null : held.value
    row[owner] = held.owner
    row[since] = held.since
  }
  return row as MemberColumns
}
