import { Prisma } from '../../../gen/prisma/client.js'
import type { GroupModel } from '../../../gen/prisma/models.js'
import { type Columns, createStatement, type Parameter } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { type AuditEventLists, auditEventLists, auditListInsert, type NewAuditEvent } from '../audit-event.js'
import { groupNameLock, takeLocks } from '../lock.js'
import type { ScimReference } from './user.js'

/** A group as SCIM shows one. */
export type ScimGroupRow = Pick<GroupModel, 'id' | 'name' | 'directoryExternalId' | 'createdAt' | 'updatedAt'> & {
  /** Null if they were not asked for. */
  readonly members: readonly ScimReference[] | null
  /** Of the row: every write of the row, and of the members, changes it. */
  readonly version: string
}

/** The columns of a group of SCIM, whose alias is `g`; `withMembers` says whether the members are read. */
export const scimGroupColumns = (organizationId: Parameter, withMembers: Parameter | Prisma.Sql) => Prisma.sql`
       g.id, g.name, g.directory_external_id AS "directoryExternalId", g.created_at AS "createdAt",
       g.updated_at AS "updatedAt", g.xmin::text AS version,
       CASE WHEN ${withMembers} THEN (
         SELECT coalesce(json_agg(json_build_object('value', m.user_id, 'display', btrim(m.first_name || ' ' || m.last_name))
                                  ORDER BY gm.position), '[]')
           FROM group_members gm
           JOIN memberships m ON m.organization_id = ${organizationId} AND m.user_id = gm.user_id
          WHERE gm.organization_id = ${organizationId} AND gm.group_id = g.id AND m.directory_deleted_at IS NULL
       ) END AS members`

/** The types of these columns. */
export const scimGroupColumnTypes: Columns<ScimGroupRow> = {
  id: 'text',
  name: 'text',
  directoryExternalId: 'text',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  version: 'text',
  members: 'json',
}

interface GroupKey {
  readonly organizationId: string
  readonly groupId: string
}

const find = createStatement<GroupKey & { readonly withMembers: boolean }, ScimGroupRow>({
  name: 'find_scim_group',
  columns: scimGroupColumnTypes,
  text: ({ organizationId, groupId, withMembers }) => Prisma.sql`
SELECT ${scimGroupColumns(organizationId, withMembers)}
  FROM groups g WHERE g.organization_id = ${organizationId} AND g.id = ${groupId}`,
})

/** A group whose row is locked. */
export type LockedGroup = Pick<ScimGroupRow, 'id' | 'name' | 'directoryExternalId' | 'version'>

const lock = createStatement<GroupKey, LockedGroup>({
  name: 'lock_group',
  columns: { id: 'text', name: 'text', directoryExternalId: 'text', version: 'text' },
  text: ({ organizationId, groupId }) => Prisma.sql`
SELECT id, name, directory_external_id AS "directoryExternalId", xmin::text AS version
  FROM groups WHERE organization_id = ${organizationId} AND id = ${groupId}
   FOR NO KEY UPDATE`,
})

interface GroupName {
  readonly organizationId: string
  readonly name: string
}

const findName = createStatement<GroupName, Pick<GroupModel, 'id'>>({
  name: 'find_groups_of_name',
  columns: { id: 'text' },
  text: ({ organizationId, name }) => Prisma.sql`
SELECT id FROM groups WHERE organization_id = ${organizationId} 
   AND lower(nullif(name, '')) COLLATE "C" = lower(${name}) LIMIT 2`,
})

type NewGroup = GroupName & { readonly groupId: string; readonly externalId: string | null; readonly now: Date }

const insert = createStatement<NewGroup, Record<never, never>>({
  name: 'insert_group',
  columns: {},
  text: ({ organizationId, groupId, name, externalId, now }) => Prisma.sql`
INSERT INTO groups (organization_id, id, name, directory_external_id, created_at, updated_at)
VALUES (${organizationId}, ${groupId}, ${name}, ${externalId}, ${now}, ${now})`,
})

/**
 * A time after the last change, so that every change gives another version. Added in UTC: an addition in the time zone of
 * the session is not constant, and a cluster computes nothing else from columns that it writes.
 */
const nextTime = (now: Parameter) => Prisma.sql`
greatest(${now}::timestamptz, (updated_at AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC')`

interface GroupWrite extends Omit<AuditEventLists, 'id' | 'organizationId'>, NewGroup {
  readonly eventId: readonly string[]
}

const write = createStatement<GroupWrite, Record<never, never>>({
  name: 'write_group_at_once',
  columns: {},
  text: (places) => Prisma.sql`
WITH changed AS (
  UPDATE groups SET name = ${places.name}, directory_external_id = ${places.externalId}, updated_at = ${nextTime(places.now)}
   WHERE organization_id = ${places.organizationId} AND id = ${places.groupId}
)
${auditListInsert(places)}`,
})

const remove = createStatement<GroupKey, Record<never, never>>({
  name: 'delete_group',
  columns: {},
  text: ({ organizationId, groupId }) => Prisma.sql`
DELETE FROM groups WHERE organization_id = ${organizationId} AND id = ${groupId}`,
})

type GroupMembers = GroupKey & { readonly userIds: readonly string[] }
interface UserId {
  readonly userId: string
}

/** A user who was to be added to a group, and exists. */
interface AddedUser extends UserId {
  readonly isNew: boolean
}

const addMembers = createStatement<GroupMembers, AddedUser>({
  name: 'add_group_members',
  columns: { userId: 'text', isNew: 'bool' },
  text: ({ organizationId, groupId, userIds }) => Prisma.sql`
WITH known AS (
  SELECT m.user_id FROM memberships m
   WHERE m.organization_id = ${organizationId} AND m.user_id = ANY (${userIds}::text[]) AND m.directory_deleted_at IS NULL
), added AS (
  INSERT INTO group_members AS gm (organization_id, group_id, user_id, position)
  SELECT ${organizationId}, ${groupId}, wanted.user_id, last.position + wanted.place
    FROM (SELECT coalesce(max(position), -1) AS position FROM group_members
           WHERE organization_id = ${organizationId} AND group_id = ${groupId}) last
   CROSS JOIN (SELECT user_id, min(place)::integer AS place
                 FROM unnest(${userIds}::text[]) WITH ORDINALITY AS each (user_id, place) GROUP BY user_id) wanted
   WHERE wanted.user_id IN (SELECT user_id FROM known)
   ORDER BY wanted.user_id
      ON CONFLICT (organization_id, group_id, user_id) DO NOTHING
  RETURNING gm.user_id
)
SELECT known.user_id AS "userId", known.user_id IN (SELECT user_id FROM added) AS "isNew" FROM known`,
})

const removeMembers = createStatement<GroupMembers, UserId>({
  name: 'remove_group_members',
  columns: { userId: 'text' },
  text: ({ organizationId, groupId, userIds }) => Prisma.sql`
DELETE FROM group_members
 WHERE organization_id = ${organizationId} AND group_id = ${groupId} AND user_id = ANY (${userIds}::text[])
RETURNING user_id AS "userId"`,
})

const keepMembers = createStatement<GroupMembers, UserId>({
  name: 'keep_group_members',
  columns: { userId: 'text' },
  text: ({ organizationId, groupId, userIds }) => Prisma.sql`
DELETE FROM group_members
 WHERE organization_id = ${organizationId} AND group_id = ${groupId} AND user_id <> ALL (${userIds}::text[])
RETURNING user_id AS "userId"`,
})

const leave = createStatement<
  { readonly organizationId: string; readonly userId: string; readonly now: Date },
  Record<never, never>
>({
  name: 'leave_groups',
  columns: {},
  text: ({ organizationId, userId, now }) => Prisma.sql`
WITH gone AS (
  DELETE FROM group_members WHERE organization_id = ${organizationId} AND user_id = ${userId} RETURNING group_id
)
UPDATE groups SET updated_at = ${nextTime(now)}
  FROM gone WHERE groups.organization_id = ${organizationId} AND groups.id = gone.group_id`,
})

/** The statements of this file. */
export const scimGroupStatements = [
  find,
  lock,
  findName,
  insert,
  write,
  remove,
  addMembers,
  removeMembers,
  keepMembers,
  leave,
]

/** A group, with its members if they are wanted. */
export async function findScimGroup(
  tables: Tables,
  key: GroupKey & { readonly withMembers: boolean },
): Promise<ScimGroupRow | undefined> {
  return (await tables.run(find, key))[0]
}

/** Reads a group and locks it until the transaction ends. */
export async function lockGroup(transaction: Tables, key: GroupKey): Promise<LockedGroup | undefined> {
  return (await transaction.run(lock, key))[0]
}

/** The ids of groups with a name, in any case, which no other transaction can give to a group until this one ends. */
export async function claimGroupName(transaction: Tables, name: GroupName): Promise<string[]> {
  await takeLocks(transaction, [groupNameLock(name.organizationId, name.name)])
  return (await transaction.run(findName, name)).map(({ id }) => id)
}

/** Adds a group without members. */
export async function insertGroup(transaction: Tables, group: NewGroup): Promise<void> {
  await transaction.run(insert, group)
}

/** Writes a group, in another version than before, with an audit event, in one statement. */
export async function writeGroupAtOnce(
  transaction: Tables,
  group: NewGroup,
  events: readonly NewAuditEvent[],
): Promise<void> {
  const { id: eventId, organizationId: _, ...lists } = auditEventLists(events)
  await transaction.run(write, Object.assign({ eventId }, lists, group))
}

/** Deletes a group and its list of members. The database refuses it for groups that approve something. */
export async function deleteGroup(transaction: Tables, key: GroupKey): Promise<void> {
  await transaction.run(remove, key)
}

/**
 * Adds users to a group, behind those that it has. Returns those who exist and whom the directory has not deleted; the
 * others are not added.
 */
export function addGroupMembers(transaction: Tables, members: GroupMembers): Promise<AddedUser[]> {
  return transaction.run(addMembers, members)
}

/** Takes users out of a group. Returns how many were in it. */
export async function removeGroupMembers(transaction: Tables, members: GroupMembers): Promise<number> {
  return (await transaction.run(removeMembers, members)).length
}

/** Takes all users out of a group but these. Returns how many those were. */
export async function keepGroupMembers(transaction: Tables, members: GroupMembers): Promise<number> {
  return (await transaction.run(keepMembers, members)).length
}

/** Takes a user out of all groups. */
export async function leaveAllGroups(
  transaction: Pick<Tables, 'run'>,
  user: { readonly organizationId: string; readonly userId: string; readonly now: Date },
): Promise<void> {
  await transaction.run(leave, user)
}
