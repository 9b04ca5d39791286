import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner } from '../../gen/prisma/enums.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import type { Columns, Places } from '../db/statement.js'
import { createLookUp, createQuery, type Tables } from '../db/tables.js'
import { jsonInSlices } from '../runtime/slices.js'
import { type OwnedField, type OwnedPlace, ownedPlaces, perOwnedField } from './owned-column.js'
import { camelCase, propertiesIn } from './resource/resource.js'
import { createRowLock } from './row-lock.js'
import { isOneOf } from './visibility.js'

/** The state of a field: its value (empty means none), its owner, and since when it has that owner. */
export interface OwnedValue {
  readonly value: string
  readonly owner: FieldOwner
  readonly since: Date
}

/** A member of an organization. */
export type MemberKey = Pick<MembershipModel, 'organizationId' | 'userId'>

/** A row of `memberColumns`. Every change of the row raises the version; that of a member who joins is empty. */
export interface MemberColumns extends Omit<MembershipModel, 'organizationId' | 'emailKey' | 'ordinal' | 'version'> {
  readonly version: string
}

/** A row with these columns as a member, whose governed fields are the profile. */
export type MemberOf<Row extends MemberColumns> = Readonly<Omit<Row, OwnedPlace['value' | 'owner' | 'since']>> & {
  readonly profile: Readonly<Record<OwnedField, OwnedValue>>
}

/** A person in one organization. */
export type MemberRow = MemberOf<MemberColumns>

const separateColumns: readonly string[] = ['organization_id', 'email_key', 'ordinal', 'version']
const columns = Object.entries(schema.Membership.columns)
  .filter(([column]) => !separateColumns.includes(column))
  .map(([column]) => ({ column, name: camelCase(column) as Exclude<keyof MemberColumns, 'version'> }))
/** The columns that can change. */
const changedColumns = columns.filter(({ name }) => name !== 'userId' && name !== 'createdAt')
const ofProfile = new Set<string>(ownedPlaces.flatMap(({ value, owner, since }) => [value, owner, since]))

/** A comma-separated list of columns, each with a prefix. */
function listOf(some: typeof columns, prefix = ''): Prisma.Sql {
  return Prisma.raw(some.map(({ column }) => `${prefix}${column}`).join(', '))
}

const names = columns.map(({ name }) => name)
const inStatements = propertiesIn(schema.Membership, names, 'm')

/** The columns of a member `m`, and their types. */
export const memberColumns = Prisma.sql`${inStatements.sql}, m.version::text AS version`
export const memberColumnTypes: Columns<MemberColumns> = { ...inStatements.types, version: 'text' }

const lock = createRowLock({
  table: schema.Membership,
  strength: 'NO KEY UPDATE',
  read: names,
  more: { version: [Prisma.sql`version::text`, 'text'] },
  key: 'user_id',
})

/**
 * Adds members and changes others in one statement, which checks constraints once: a number can go from one to the
 * other.
 */
const write = createQuery<Omit<WrittenMembers, 'userIds'>>({
  name: 'write_members',
  columns: {},
  text: ({ organizationId, members }) => Prisma.sql`
INSERT INTO memberships AS m (organization_id, ${listOf(columns)})
SELECT ${organizationId}, ${listOf(columns, 'r.')}
  FROM json_populate_recordset(NULL::memberships, ${members}) WITH ORDINALITY AS r
 ORDER BY r.ordinality
    ON CONFLICT (organization_id, user_id) DO UPDATE
       SET version = m.version + 1, (${listOf(changedColumns)}) = ROW (${listOf(changedColumns, 'EXCLUDED.')})`,
})

/** Members of an organization: their ids, and as JSON their rows, or of each what changes. */
export interface WrittenMembers {
  readonly organizationId: string
  readonly userIds: readonly string[]
  readonly members: string
}

/**
 * Changes members. Not part of `write_members`, where a cluster would give each row an ordinal first, and commit in two
 * phases. Members are found by id: from the JSON alone, of which a kept plan expects a hundred rows, it would read all
 * members.
 */
const changeText = ({ organizationId, userIds, members }: Places<WrittenMembers>) => Prisma.sql`
UPDATE memberships m SET version = m.version + 1, (${listOf(changedColumns)}) =
       (SELECT ${listOf(changedColumns, 'r.')} FROM json_populate_record(m, c.changes) r)
  FROM json_array_elements(${members}) c (changes)
 WHERE m.organization_id = ${organizationId} AND ${isOneOf(Prisma.sql`m.user_id`, userIds)}
   AND m.user_id = c.changes ->> 'user_id'`

const change = createQuery<WrittenMembers>({ name: 'change_members', columns: {}, text: changeText })

/** Reads values of the membership `m` with a key. */
export function memberText(values: Prisma.Sql, { organizationId, userId }: Places<MemberKey>): Prisma.Sql {
  return Prisma.sql`
SELECT ${values} FROM memberships m WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}`
}

/** How a member is shown: what finds it, and what changes members and shows them as they are then. */
export type MemberView<Row> = ReturnType<typeof createMemberView<Row>>

/** Shows values of the membership `m`, in a statement of one organization. The names are those of the statements. */
export function createMemberView<Row>(
  names: { readonly find: string; readonly change: string },
  columns: Columns<Row>,
  values: Prisma.Sql,
) {
  return {
    find: createLookUp<MemberKey, Row>({ name: names.find, columns, text: (key) => memberText(values, key) }),
    // A write on a cluster returns nothing but columns.
    change: createQuery<WrittenMembers, Row>({
      name: names.change,
      columns,
      text: (rows) => Prisma.sql`WITH m AS (${changeText(rows)} RETURNING m.*) SELECT ${values} FROM m`,
    }),
  }
}

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
export async function findManager({ models }: Tables, organizationId: string, userId: string) {
  const where = { organizationId_userId: { organizationId, userId } }
  const select = { managerUserId: true, managerAssignedAt: true }
  return (await models.membership.findUnique({ where, select })) ?? undefined
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
 * Writes members in the given order: `added` ones are inserted, and `changed` ones, which are locked and in `before` as
 * they were, are updated. Returns the rows of a view if none is added and the database is no cluster. Without a view, a
 * single member is written through the model, which names the columns that change, and which a cluster sends to one
 * node; adding a thousand that way would take 1.6 s instead of 0.65.
 */
export async function writeMembers<Row>(
  tables: Tables,
  organizationId: string,
  added: readonly MemberRow[],
  changed: readonly MemberRow[],
  before: ReadonlyMap<string, MemberRow>,
  view?: MemberView<Row>,
): Promise<Row[]> {
  const all = [...added, ...changed]
  const [first, ...others] = all
  if (first === undefined) return []
  const userIds = all.map(({ userId }) => userId)
  const old = added.length > 0 ? undefined : before.get(first.userId)
  const text = (member: MemberRow) => {
    const was = old && before.get(member.userId)
    return { user_id: member.userId, ...changesOf(rowOf(member), was ? rowOf(was) : {}, 'column') }
  }
  const rows = async () => ({ organizationId, userIds, members: await jsonInSlices(all, text) })
  // A cluster would send what is returned through its coordinator.
  if (old !== undefined && view !== undefined && !tables.isDistributed) return view.change(tables, await rows())
  if (others.length > 0) await (old === undefined ? write : change)(tables, await rows())
  else if (old === undefined) {
    await tables.models.membership.create({ data: { organizationId, ...dataOf(first) }, select: { userId: true } })
  } else {
    const where = { organizationId_userId: { organizationId, userId: first.userId } }
    const data = { ...changesOf(dataOf(first), dataOf(old), 'name'), version: { increment: 1 } }
    await tables.models.membership.update({ where, data, select: { userId: true } })
  }
  return []
}

/** The row of a member as Prisma takes it, which does not distinguish no JSON from the JSON null. */
function dataOf(member: MemberRow) {
  const { directoryAttributes, ...row } = rowOf(member)
  return { ...row, directoryAttributes: directoryAttributes ?? Prisma.DbNull }
}

/** Of the columns in which a row differs from what it was, the values by their names, or those of their properties. */
function changesOf(row: object, before: object, key: 'column' | 'name') {
  const changed = columns.filter(({ name }) => Reflect.get(row, name) !== Reflect.get(before, name))
  return Object.fromEntries(changed.map((each) => [each[key], Reflect.get(row, each.name)]))
}

export function memberFrom<Row extends MemberColumns>(row: Row): MemberOf<Row> {
  const profile = perOwnedField(({ value, owner, since }) => {
    return { value: row[value] ?? '', owner: row[owner], since: row[since] }
  })
  const member: Record<string, unknown> = { profile }
  for (const [name, value] of Object.entries(row)) if (!ofProfile.has(name)) member[name] = value
  return member as MemberOf<Row>
}

/** The row of a member, without its version. */
function rowOf(member: MemberRow): Omit<MemberColumns, 'version'> {
  const { profile, version: _, ...others } = member
  const row: Record<string, unknown> = others
  for (const { field, value, owner, since, isNullable } of ownedPlaces) {
    const owned = profile[field]
    row[value] = isNullable && owned.value === '' ? null : owned.value
    row[owner] = owned.owner
    row[since] = owned.since
  }
  return row as Omit<MemberColumns, 'version'>
}
