import { Prisma } from '../../../gen/prisma/client.js'
import { schema } from '../../../gen/prisma/schema.js'
import { UserRecord_TeamRoleSchema, UserRecordSchema } from '../../../gen/svc/v2/import_record_pb.js'
import { managerLock } from '../lock.js'
import { ownedColumns } from '../owned-column.js'
import { declareResource } from '../resource/resource.js'
import { userDeclarations } from '../user.js'
import { typesIn } from './staged-table.js'
import { type Expressions, ownedByOrganization, type TransferTable } from './transfer-table.js'

const createdAt = Prisma.sql`coalesce(s.created_at, t.created_at, now())`

const ownership: Expressions = Object.fromEntries(
  ownedColumns.flatMap((column) => [
    [`${column}_owner`, Prisma.raw(`s.${column}_owner`)],
    [`${column}_owned_since`, Prisma.sql`coalesce(${Prisma.raw(`s.${column}_owned_since`)}, ${createdAt})`],
  ]),
)

const teamRole = declareResource(UserRecord_TeamRoleSchema, schema.TeamMember, 'r')

/** Members of organizations. */
const userRecord = declareResource(UserRecordSchema, schema.Membership, 'm', {
  ...userDeclarations,
  teamRoles: { kind: 'parts', resource: teamRole, parent: 'user_id', of: 'user_id', order: ['team_id COLLATE "C"'] },
})

/** The manager belongs to the organization if the file says so, or is a member that the file does not change. */
const managerCheck = Prisma.sql`
SELECT s.line, 'managerUserId' AS field, format('there is no user %s in the organization', s.manager_user_id) AS fault
FROM staged_user s
LEFT JOIN staged_user o ON o.organization_id = s.organization_id AND o.user_id = s.manager_user_id
LEFT JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.manager_user_id
WHERE s.manager_user_id IS NOT NULL AND o.user_id IS NULL AND m.user_id IS NULL`

/** The members of the organizations in the file, with their managers. */
const managedMembers = Prisma.sql`
SELECT m.organization_id, m.user_id, m.manager_user_id
FROM (SELECT DISTINCT organization_id FROM staged_user) touched
JOIN memberships m ON m.organization_id = touched.organization_id`

/** Walks down from those without a manager: whoever is not reached has a circle of managers above. */
const managerCircleCheck = Prisma.sql`
WITH RECURSIVE placed AS (
  SELECT m.organization_id, m.user_id FROM managed_members m WHERE m.manager_user_id IS NULL
  UNION ALL
  SELECT m.organization_id, m.user_id FROM placed
  JOIN managed_members m ON m.organization_id = placed.organization_id AND m.manager_user_id = placed.user_id
)
SELECT s.line, 'managerUserId' AS field, 'the managers above the user form a cycle' AS fault
FROM staged_user s
LEFT JOIN placed p ON p.organization_id = s.organization_id AND p.user_id = s.user_id
WHERE p.user_id IS NULL`

const ofMembers = Prisma.sql`
FROM staged_user s JOIN memberships t ON t.organization_id = s.organization_id AND t.user_id = s.user_id`

const isUnlocked = (column: string) => `t.${column}_owner = 'DIRECTORY' AND s.${column}_owner <> 'DIRECTORY'`
const unlockedFields = ownedColumns.map(
  (column) => `CASE WHEN ${isUnlocked(column)} THEN '${column.toUpperCase()}' END`,
)

/** What nobody does by leaving out a field. */
const guards: Expressions = {
  reactivation: Prisma.sql`
SELECT s.line, 'deactivatedAt' AS field, 'the user is deactivated, and would be reactivated' AS fault ${ofMembers}
WHERE t.deactivated_at IS NOT NULL AND s.deactivated_at IS NULL ORDER BY s.line`,
  directory: Prisma.sql`
SELECT s.line, 'directoryManaged' AS field, 'the directory manages the user, and no longer would' AS fault ${ofMembers}
WHERE t.directory_managed AND NOT s.directory_managed ORDER BY s.line`,
  lock: Prisma.sql`
SELECT s.line, 'fieldOwnership' AS field,
  format('the directory''s lock would be lost on %s', concat_ws(', ', ${Prisma.raw(unlockedFields.join(', '))})) AS fault
${ofMembers} WHERE ${Prisma.raw(ownedColumns.map((column) => `(${isUnlocked(column)})`).join(' OR '))} ORDER BY s.line`,
}

/** The people in the file, each with the address of the last line, in whatever organization. */
const people = Prisma.sql`
SELECT DISTINCT ON (s.user_id) s.user_id, s.line, s.email, lower(s.email COLLATE "C") AS email_key
FROM staged_user s ORDER BY s.user_id, s.line DESC`

/**
 * An address may be taken in any of the organizations to which the person will belong: by an earlier line, or by a member
 * who is not in the file. Each set is joined once, because a cluster cannot estimate joins of sets that it has gathered.
 */
const emailCheck = Prisma.sql`
WITH people AS (${people}
), members AS (
  SELECT t.organization_id, t.user_id FROM people p JOIN memberships t ON t.user_id = p.user_id
  UNION
  SELECT s.organization_id, s.user_id FROM staged_user s
), claims AS (
  SELECT p.line, p.user_id, p.email_key, m.organization_id FROM people p JOIN members m ON m.user_id = p.user_id
), holders AS MATERIALIZED (
  SELECT c.line, t.user_id
  FROM claims c JOIN memberships t ON t.organization_id = c.organization_id AND t.email_key = c.email_key
), taken AS (
  SELECT c.line, lag(c.user_id) OVER (PARTITION BY c.organization_id, c.email_key ORDER BY c.line) AS user_id FROM claims c
  UNION ALL
  SELECT h.line, h.user_id FROM holders h LEFT JOIN people p ON p.user_id = h.user_id WHERE p.user_id IS NULL
)
SELECT line, 'email' AS field, format('user %s already has it', user_id) AS fault FROM taken WHERE user_id IS NOT NULL`

/**
 * A temporary address for a person who gets another one, so that people can swap addresses: no real one looks like it.
 */
const nowhere = Prisma.sql`lower('left-' || regexp_replace(id, '([A-Z])', '+\\1', 'g') COLLATE "C")`

/** People and their memberships. */
export const userTable: TransferTable = {
  resource: userRecord,
  owner: ownedByOrganization,
  unique: { primaryPhone: ['primary_phone'] },
  elsewhere: { fieldOwnership: Object.keys(ownership) },
  guards,
  extras: { email: 'text', ...typesIn(schema.Membership, Object.keys(ownership)) },
  values: {
    email_key: Prisma.sql`(SELECT u.email_key FROM users u WHERE u.id = s.user_id)`,
    manager_assigned_at: Prisma.sql`CASE WHEN s.manager_user_id IS NOT NULL THEN coalesce(s.manager_assigned_at,
      CASE WHEN t.manager_user_id = s.manager_user_id THEN t.manager_assigned_at END,
      s.manager_owned_since, ${createdAt}) END`,
    ...ownership,
    updated_at: Prisma.sql`now()`,
  },
  checks: { manager: managerCheck, email: emailCheck },
  // Nobody else assigns managers in the organizations, so that circles are found.
  lockOf: managerLock,
  release: {
    find: Prisma.sql`
SELECT p.user_id AS id FROM (${people}) p JOIN users u ON u.id = p.user_id WHERE u.email_key <> p.email_key`,
    write: ({ ids }) => Prisma.sql`
UPDATE users SET email = ${nowhere}, email_key = ${nowhere} WHERE id = ANY (${ids})`,
  },
  before: Prisma.sql`
INSERT INTO users (id, email, email_key)
SELECT p.user_id, p.email, p.email_key FROM (${people}) p
ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email, email_key = EXCLUDED.email_key`,
  // Whoever comes back has no token from before.
  after: [
    Prisma.sql`
DELETE FROM user_tokens x USING staged_user s, before_user before
 WHERE x.organization_id = s.organization_id AND x.user_id = s.user_id
   AND before.organization_id = s.organization_id AND before.user_id = s.user_id
   AND (s.deactivated_at IS NOT NULL OR jsonb_exists(before.record, 'deactivatedAt'))`,
  ],
  finalTables: { managed_members: managedMembers },
  finalChecks: { manager_circle: managerCircleCheck },
  join: Prisma.sql`JOIN users u ON u.id = m.user_id`,
}
