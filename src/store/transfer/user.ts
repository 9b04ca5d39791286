import { Prisma } from '../../../gen/prisma/client.js'
import { schema } from '../../../gen/prisma/schema.js'
import { UserRecord_TeamRoleSchema, UserRecordSchema } from '../../../gen/svc/v2/import_record_pb.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { ownedColumns } from '../owned-column.js'
import { declareResource } from '../resource/resource.js'
import { userDeclarations } from '../user.js'
import { type Expressions, type KindDefinition, ownedByOrganization } from './kind.js'

const createdAt = Prisma.sql`coalesce(s.created_at, t.created_at, now())`

const ownership: Expressions = Object.fromEntries(
  ownedColumns.flatMap((column) => [
    [`${column}_owner`, Prisma.raw(`s.${column}_owner`)],
    [`${column}_owned_since`, Prisma.sql`coalesce(${Prisma.raw(`s.${column}_owned_since`)}, ${createdAt})`],
  ]),
)

const teamRole = declareResource(UserRecord_TeamRoleSchema, schema.TeamMember, 'r')

/** People and their memberships. */
export const userKind: KindDefinition = {
  resource: declareResource(UserRecordSchema, schema.Membership, 'm', {
    ...userDeclarations,
    teamRoles: { kind: 'parts', resource: teamRole, parent: 'user_id', of: 'user_id', order: ['team_id COLLATE "C"'] },
  }),
  owner: ownedByOrganization,
  elsewhere: { fieldOwnership: Object.keys(ownership) },
  extras: { email: 'text' },
  values: {
    email_key: Prisma.sql`(SELECT u.email_key FROM users u WHERE u.id = s.user_id)`,
    manager_assigned_at: Prisma.sql`CASE WHEN s.manager_user_id IS NOT NULL THEN coalesce(s.manager_assigned_at,
      CASE WHEN t.manager_user_id = s.manager_user_id THEN t.manager_assigned_at END,
      s.manager_owned_since, ${createdAt}) END`,
    ...ownership,
    updated_at: Prisma.sql`now()`,
  },
  // Whoever comes back has no token from before.
  after: [
    Prisma.sql`
DELETE FROM user_tokens x USING staged_user s, before_user before
 WHERE x.organization_id = s.organization_id AND x.user_id = s.user_id
   AND before.organization_id = s.organization_id AND before.user_id = s.user_id
   AND (s.deactivated_at IS NOT NULL OR jsonb_exists(before.record, 'deactivatedAt'))`,
  ],
  join: Prisma.sql`JOIN users u ON u.id = m.user_id`,
}

/** A staged user: the values that others may have, and what only force may do to the member who stands. */
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

const read = createStatement<object, StagedUser>({
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
 * A temporary address for a person who gets another one, so that people can swap addresses: no real one looks like it.
 */
const nowhere = Prisma.sql`lower('left-' || regexp_replace(id, '([A-Z])', '+\\1', 'g') COLLATE "C")`

const release = createStatement<{ readonly ids: readonly string[] }, Record<never, never>>({
  name: 'import_release_emails',
  columns: {},
  text: ({ ids }) => Prisma.sql`
UPDATE users SET email = ${nowhere}, email_key = ${nowhere} WHERE id = ANY (${ids})`,
})

/** Each person has the address of the last line, in whatever organization. */
const write = createStatement<object, Record<never, never>>({
  name: 'import_persons',
  columns: {},
  text: () => Prisma.sql`
INSERT INTO users (id, email, email_key)
SELECT DISTINCT ON (s.user_id) s.user_id, s.email, lower(s.email COLLATE "C")
  FROM staged_user s ORDER BY s.user_id, s.line DESC
ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email, email_key = EXCLUDED.email_key`,
})

/** The statements of this file. */
export const importedUserStatements = [read, release, write]

/** The staged users, in the order of lines. */
export function readStagedUsers(transaction: Tables): Promise<StagedUser[]> {
  return transaction.run(read, {})
}

/** A person who stands: the address and its key, and the organizations of the memberships. */
export interface StandingPerson {
  readonly id: string
  readonly email: string
  readonly emailKey: string
  readonly memberships: readonly { readonly organizationId: string }[]
}

/** Those of the persons who stand. */
export function findPersons({ models }: Tables, ids: readonly string[]): Promise<StandingPerson[]> {
  const select = { id: true, email: true, emailKey: true, memberships: { select: { organizationId: true } } }
  return models.person.findMany({ where: { id: { in: [...ids] } }, select })
}

/** Writes the persons of staged users with their addresses; those who get another one are named. */
export async function writeStagedPersons({ run }: Tables, movedIds: readonly string[]): Promise<void> {
  if (movedIds.length > 0) await run(release, { ids: movedIds })
  await run(write, {})
}
