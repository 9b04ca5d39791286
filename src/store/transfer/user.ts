import { Prisma } from '../../../gen/prisma/client.js'
import { schema } from '../../../gen/prisma/schema.js'
import { UserRecord_TeamRoleSchema, UserRecordSchema } from '../../../gen/svc/v2/import_record_pb.js'
import { createQuery, type Tables } from '../../db/tables.js'
import { ownedColumns, ownedPlaces } from '../owned-column.js'
import { columnOfField, type Declarations, declareResource } from '../resource/resource.js'
import { userDeclarations, userResource } from '../user.js'
import { type Expressions, type KindDefinition, listed, rowColumns } from './kind.js'

const createdAt = Prisma.sql`coalesce(s.created_at, t.created_at, now())`

const ownership: Expressions = Object.fromEntries(
  ownedColumns.flatMap((column) => [
    [`${column}_owner`, Prisma.raw(`s.${column}_owner`)],
    [`${column}_owned_since`, Prisma.sql`coalesce(${Prisma.raw(`s.${column}_owned_since`)}, ${createdAt})`],
  ]),
)

const teamRole = declareResource(UserRecord_TeamRoleSchema, schema.TeamMember, 'r')

/** A record need not give these, but an export does, as empty if there is no value. */
const filled: Partial<Declarations<typeof UserRecordSchema, typeof schema.Membership>> = Object.fromEntries(
  ownedPlaces
    .filter(({ isNullable }) => isNullable)
    .map(({ value }) => {
      const name = columnOfField(userResource, value)
      return [value, { kind: 'column' as const, name, read: Prisma.raw(`coalesce(m.${name}, '')`) }]
    }),
)

const resource = declareResource(UserRecordSchema, schema.Membership, 'm', {
  ...userDeclarations,
  ...filled,
  teamRoles: { kind: 'parts', resource: teamRole, parent: 'user_id', of: 'user_id', order: ['team_id COLLATE "C"'] },
})

export const userKind: KindDefinition = {
  resource,
  owner: 'organizationId',
  elsewhere: { fieldOwnership: Object.keys(ownership) },
  extras: { in_several_organizations: 'boolean' },
  values: {
    in_several_organizations: Prisma.sql`coalesce(s.in_several_organizations, t.in_several_organizations, false)`,
    manager_assigned_at: Prisma.sql`CASE WHEN s.manager_user_id IS NOT NULL THEN coalesce(s.manager_assigned_at,
      CASE WHEN t.manager_user_id = s.manager_user_id THEN t.manager_assigned_at END,
      s.manager_owned_since, ${createdAt}) END`,
    ...ownership,
    // As for every writer of members: a deactivation ends sessions for good, a reactivation where that is not recorded.
    sessions_ended_at: Prisma.sql`CASE
      WHEN s.deactivated_at IS NOT NULL AND t.deactivated_at IS NULL THEN now()
      WHEN s.deactivated_at IS NULL AND t.deactivated_at > coalesce(t.sessions_ended_at, '-infinity') THEN now()
      ELSE t.sessions_ended_at END`,
    updated_at: Prisma.sql`now()`,
  },
  // Deactivated and reactivated users keep no earlier tokens.
  after: [
    Prisma.sql`
DELETE FROM user_tokens x USING staged_user s, before_user before
 WHERE x.organization_id = s.organization_id AND x.user_id = s.user_id
   AND before.organization_id = s.organization_id AND before.user_id = s.user_id
   AND (s.deactivated_at IS NOT NULL OR jsonb_exists(before.record, 'deactivatedAt'))`,
  ],
}

/** A staged user: the values that others may have, and the changes to the existing member that need force. */
export interface StagedUser {
  readonly line: number
  readonly organizationId: string
  readonly userId: string
  readonly email: string
  readonly phone: string | null
  readonly managerUserId: string | null
  readonly department: string
  readonly isReactivated: boolean
  readonly leavesDirectory: boolean
  /** The governed fields that the directory would no longer own. */
  readonly unlocked: readonly string[]
}

const unlocked = ownedColumns.map(
  (column) =>
    `CASE WHEN t.${column}_owner = 'DIRECTORY' AND s.${column}_owner <> 'DIRECTORY' THEN '${column.toUpperCase()}' END`,
)

export const readStagedUsers = createQuery<object, StagedUser>({
  name: 'import_read_users',
  columns: {
    line: 'int4',
    organizationId: 'text',
    userId: 'text',
    email: 'text',
    phone: 'text',
    managerUserId: 'text',
    department: 'text',
    isReactivated: 'bool',
    leavesDirectory: 'bool',
    unlocked: 'text[]',
  },
  text: () => Prisma.sql`
SELECT s.line, s.organization_id AS "organizationId", s.user_id AS "userId", s.email, s.primary_phone AS phone,
       s.manager_user_id AS "managerUserId", s.department,
       t.deactivated_at IS NOT NULL AND s.deactivated_at IS NULL AS "isReactivated",
       coalesce(t.directory_managed AND NOT s.directory_managed, false) AS "leavesDirectory",
       array_remove(ARRAY[${Prisma.raw(unlocked.join(', '))}], NULL) AS unlocked
  FROM staged_user s
  LEFT JOIN memberships t ON t.organization_id = s.organization_id AND t.user_id = s.user_id
 ORDER BY s.line`,
})

/**
 * Stages the other memberships of staged users, which no line names: only their address changes. A cluster joins staged
 * rows to its own only if they are materialized first.
 */
const follow = createQuery<object>({
  name: 'import_follow_users',
  columns: {},
  text: () => {
    const { organization_id: _, ...columns } = { ...rowColumns(resource), ...ownership }
    const names = Object.keys(columns)
    return Prisma.sql`
WITH followed AS MATERIALIZED (
  SELECT DISTINCT ON (user_id) first_line, line, user_id, email FROM staged_user ORDER BY user_id, line DESC
), named AS MATERIALIZED (SELECT organization_id, user_id FROM staged_user)
INSERT INTO staged_user (organization_id, first_line, line, given, ${listed(names)})
SELECT m.organization_id, s.first_line, s.line, '{}', ${listed(names.map((name) => `m.${name}`))}
  FROM followed s
  JOIN memberships m ON m.user_id = s.user_id
 WHERE NOT EXISTS (SELECT FROM named o WHERE o.organization_id = m.organization_id AND o.user_id = m.user_id)`
  },
})

const giveAddress = createQuery<object>({
  name: 'import_give_addresses',
  columns: {},
  text: () => Prisma.sql`
UPDATE staged_user s SET email = i.row_values ->> 'email', in_several_organizations = true
  FROM (SELECT user_id, max(line) FILTER (WHERE is_record) AS line
          FROM staged_user GROUP BY user_id HAVING count(*) > 1) person
  JOIN import_rows i ON i.kind = 'user' AND i.line = person.line
 WHERE s.user_id = person.user_id`,
})

/** Marks members of several organizations. Sent first, because no object shows it and it raises no version. */
const mark = createQuery<object>({
  name: 'import_mark_users',
  columns: {},
  text: () => Prisma.sql`
UPDATE memberships m SET in_several_organizations = true FROM staged_user s
 WHERE m.organization_id = s.organization_id AND m.user_id = s.user_id
   AND s.in_several_organizations AND NOT m.in_several_organizations`,
})

/** Stages the staged users in all their organizations, where each has the address of the last line. */
export async function stageWholePeople(tables: Tables): Promise<void> {
  for (const each of [follow, giveAddress, mark]) await each(tables, {})
}

export function findMemberships({ models }: Tables, userIds: readonly string[]) {
  const select = { userId: true, organizationId: true } as const
  return models.membership.findMany({ where: { userId: { in: [...userIds] } }, select })
}
