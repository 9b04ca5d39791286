import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner } from '../../gen/prisma/enums.js'
import type { MembershipModel, PersonModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { type Columns, createStatement, type Parameter, type Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { camelCase } from './camel-case.js'
import { type OwnedField, type OwnedPlace, ownedPlaces, perOwnedField } from './owned-column.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { userResource } from './user.js'

/** The state of a field: its value (empty means none), its owner, and since when it has that owner. */
export interface OwnedValue {
  readonly value: string
  readonly owner: FieldOwner
  readonly since: Date
}

type MembershipRow = Omit<MembershipModel, 'organizationId' | 'emailKey' | 'ordinal'>

/** A row of `memberColumns`. */
export type MemberColumns = MembershipRow & Pick<PersonModel, 'email'>

/** A person in one organization: the person's address, and the membership. */
export type MemberRow = Readonly<Omit<MemberColumns, OwnedPlace['value' | 'owner' | 'since']>> & {
  readonly profile: Readonly<Record<OwnedField, OwnedValue>>
}

const apart: readonly string[] = ['organization_id', 'email_key', 'ordinal']
const kept = Object.entries(schema.Membership.columns)
  .filter(([column]) => !apart.includes(column))
  .map(([column, { type }]) => ({ column, name: camelCase(column), type }))
/** The columns that can change. */
const changing = kept.filter(({ name }) => name !== 'userId' && name !== 'createdAt')
const columns = Object.fromEntries(kept.map(({ name, type }) => [name, type])) as Columns<MembershipRow>

/** The types of the columns of `memberColumns`. */
export const memberColumnTypes: Columns<MemberColumns> = { ...columns, email: 'text' }

/** A comma-separated list with a text for each column. */
function listOf(some: typeof kept, text: (each: (typeof kept)[number]) => string): Prisma.Sql {
  return Prisma.raw(some.map(text).join(', '))
}

/** The columns of a member: those of the membership, whose alias is `m`, and the address of the person, `u`. */
export const memberColumns = Prisma.sql`${listOf(kept, ({ name, column }) => `m.${column} AS "${name}"`)}, u.email`

/** A locked member, and whether the address is current or may have changed while the lock was waited for. */
type LockedRow = MemberColumns & { readonly isCurrent: boolean }

const held = (organizationId: Parameter, isHeld: Prisma.Sql) => Prisma.sql`
SELECT ${memberColumns}, u.email_key = m.email_key AS "isCurrent"
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE m.organization_id = ${organizationId} AND ${isHeld}
 ORDER BY m.user_id
   FOR NO KEY UPDATE OF m`

const lockedColumns: Columns<LockedRow> = { ...memberColumnTypes, isCurrent: 'bool' }

const lock = createStatement<{ readonly organizationId: string; readonly userIds: readonly string[] }, LockedRow>({
  name: 'lock_members',
  columns: lockedColumns,
  text: ({ organizationId, userIds }) => held(organizationId, Prisma.sql`m.user_id = ANY (${userIds})`),
})

/**
 * Separate from `lock_members`, because PostgreSQL keeps no plan for lists: planning each time would take six times as
 * long.
 */
const lockOne = createStatement<{ readonly organizationId: string; readonly userId: string }, LockedRow>({
  name: 'lock_member',
  columns: lockedColumns,
  text: ({ organizationId, userId }) => held(organizationId, Prisma.sql`m.user_id = ${userId}`),
})

const find = createStatement<{ readonly organizationId: string; readonly userId: string }, MemberColumns>({
  name: 'find_member',
  columns: memberColumnTypes,
  text: ({ organizationId, userId }) => Prisma.sql`
SELECT ${memberColumns}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}`,
})

/** Members of one organization to add and to change, each as the JSON of their rows. */
interface Written {
  readonly organizationId: string
  readonly added: string
  readonly changed: string
  /** The ids of members who change, so that a kept plan finds them by the index. */
  readonly userIds: readonly string[]
}

const recordType = listOf(kept, ({ name, type }) => `"${name}" ${type.replace(/^enum /, '')}`)

/**
 * The person with an id, found by the index: a kept plan expects a hundred rows from a list, and would read all persons
 * for them.
 */
const personOf = (id: Prisma.Sql) =>
  Prisma.sql`CROSS JOIN LATERAL (SELECT u.email, u.email_key FROM users u WHERE u.id = ${id} OFFSET 0) u`

/** The addition of members, whose rows are in `added`. */
export const memberAddition = ({
  organizationId,
  added,
}: Places<Pick<Written, 'organizationId' | 'added'>>) => Prisma.sql`
INSERT INTO memberships AS m (organization_id, email_key, ${listOf(kept, ({ column }) => column)})
SELECT ${organizationId}, u.email_key, ${listOf(kept, ({ name }) => `r."${name}"`)}
  FROM ROWS FROM (json_to_recordset(${added}) AS (${recordType}))
       WITH ORDINALITY AS r (${listOf(kept, ({ name }) => `"${name}"`)}, place)
  ${personOf(Prisma.sql`r."userId"`)}
 ORDER BY r.place`

/** The change of members, whose rows are in `changed`, where the condition on `m` finds them. */
export const memberChange = (
  { organizationId, changed }: Places<Pick<Written, 'organizationId' | 'changed'>>,
  isChanged: Prisma.Sql,
) => Prisma.sql`
UPDATE memberships m
   SET ${listOf(changing, ({ name, column }) => `${column} = r."${name}"`)}
  FROM json_to_recordset(${changed}) AS r (${recordType})
 WHERE m.organization_id = ${organizationId} AND ${isChanged} AND m.user_id = r."userId"`

const changeOfAll = (places: Places<Written>) => memberChange(places, Prisma.sql`m.user_id = ANY (${places.userIds})`)

const add = createStatement<Written, Record<never, never>>({
  name: 'add_members',
  columns: {},
  text: memberAddition,
})

const update = createStatement<Written, Record<never, never>>({
  name: 'update_members',
  columns: {},
  text: changeOfAll,
})

/** Both at once, checked together: a number can go from one to the other, and either can manage the other. */
const addAndUpdate = createStatement<Pick<Written, 'organizationId' | 'added'>, Record<never, never>>({
  name: 'add_and_update_members',
  columns: {},
  text: (places) => Prisma.sql`${memberAddition(places)}
    ON CONFLICT (organization_id, user_id) DO UPDATE SET ${listOf(changing, ({ column }) => `${column} = EXCLUDED.${column}`)}`,
})

/** The write of a member, and the resulting JSON of the user. */
const printing = (write: Prisma.Sql) => Prisma.sql`
WITH m AS (${write} RETURNING m.*)
SELECT ${rowText(userResource)} AS json FROM m ${personOf(Prisma.sql`m.user_id`)}`

const addAndPrint = createStatement<Written, PrintedRow>({
  name: 'add_and_print_member',
  columns: { json: 'text' },
  text: (places) => printing(memberAddition(places)),
})

/** For a single member, so that its plan can be kept. */
const updateAndPrint = createStatement<Written & { readonly userId: string }, PrintedRow>({
  name: 'update_and_print_member',
  columns: { json: 'text' },
  text: (places) => printing(memberChange(places, Prisma.sql`m.user_id = ${places.userId}`)),
})

/** The statements of this file. */
export const membershipStatements = [lock, lockOne, find, add, update, addAndUpdate, addAndPrint, updateAndPrint]

/** Whether the person is a member of the organization who is not deactivated. */
export async function hasActiveMember(tables: Tables, organizationId: string, userId: string): Promise<boolean> {
  const where = { organizationId_userId: { organizationId, userId }, deactivatedAt: null }
  return (await tables.models.membership.findUnique({ where, select: { userId: true } })) !== null
}

/** Reads one member; undefined if the organization has no such member. */
export async function findMember(
  tables: Tables,
  organizationId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const [row] = await tables.run(find, { organizationId, userId })
  return row && memberFrom(row)
}

/**
 * Reads members and locks them until the transaction ends: writers of one member wait for each other, and only for each
 * other. Rows are locked in id order. The email address stays unchanged too, because changing it writes these rows.
 */
export async function lockMembers(
  transaction: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  const [userId = ''] = userIds
  const read = () =>
    userIds.length === 1
      ? transaction.run(lockOne, { organizationId, userId })
      : transaction.run(lock, { organizationId, userIds })
  const rows = await read()
  // A statement that has waited for a member sees the current member, but the person as it was before.
  return (rows.every(({ isCurrent }) => isCurrent) ? rows : await read()).map(memberFrom)
}

/** Members to add, whose persons exist, and others to write, which the transaction has locked. */
export interface MemberWrites {
  readonly added: readonly MemberRow[]
  readonly changed: readonly MemberRow[]
  /** Whether it is one member, who is printed. */
  readonly isPrinted: boolean
}

/**
 * Adds members in the order given and writes others, in one statement; email addresses are not written. Returns the
 * JSON of the user, if it is printed and there is one to write.
 */
export async function writeMembers(
  transaction: Tables,
  organizationId: string,
  { added, changed, isPrinted }: MemberWrites,
): Promise<string | undefined> {
  if (added.length + changed.length === 0) return undefined
  const userIds = changed.map(({ userId }) => userId)
  const records = { organizationId, added: memberRecords(added), changed: memberRecords(changed), userIds }
  if (!isPrinted) {
    if (changed.length === 0) await transaction.run(add, records)
    else if (added.length === 0) await transaction.run(update, records)
    else await transaction.run(addAndUpdate, { organizationId, added: memberRecords([...added, ...changed]) })
    return undefined
  }
  const [userId] = userIds
  const [printed] =
    userId === undefined
      ? await transaction.run(addAndPrint, records)
      : await transaction.run(updateAndPrint, { ...records, userId })
  return printed?.json
}

/** The member of a row. */
export function memberFrom(row: MemberColumns): MemberRow {
  const { userId, email, role, managerAssignedAt, directoryManaged, createdAt, updatedAt, deactivatedAt } = row
  const { directoryExternalId, directoryUserName, directoryAttributes, directoryDeletedAt } = row
  const profile = perOwnedField(({ value, owner, since }) => {
    return { value: row[value] ?? '', owner: row[owner], since: row[since] }
  })
  return {
    userId,
    email,
    role,
    managerAssignedAt,
    directoryManaged,
    createdAt,
    updatedAt,
    deactivatedAt,
    directoryExternalId,
    directoryUserName,
    directoryAttributes,
    directoryDeletedAt,
    profile,
  }
}

/** The JSON of the members' rows, written piece by piece: objects with that many members are slow to make. */
export function memberRecords(members: readonly MemberRow[]): string {
  // Most fields of a member got their owners at the same time, and writing times costs more than all the rest.
  const times = new Map<number, string>()
  const textOf = (time: Date): string => {
    const text = times.get(time.getTime()) ?? time.toISOString()
    times.set(time.getTime(), text)
    return text
  }
  const recordOf = ({ profile, ...others }: MemberRow) => {
    const pieces = JSON.stringify(others).slice(0, -1)
    return `${pieces}${ownedPlaces
      .map(({ field, value, owner, since, isNullable }) => {
        const held = profile[field]
        const text = isNullable && held.value === '' ? 'null' : JSON.stringify(held.value)
        return `,"${value}":${text},"${owner}":"${held.owner}","${since}":"${textOf(held.since)}"`
      })
      .join('')}}`
  }
  return `[${members.map(recordOf).join()}]`
}
