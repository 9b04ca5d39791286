import { Prisma } from '../../../gen/prisma/client.js'
import { inLockOfManagers } from '../manager-lock.js'
import { ownedColumns } from '../owned-column.js'
import { timestampText } from '../timestamp-text.js'
import { referenceCheck, takenCheck } from './checks.js'
import { eachRecord } from './each-record.js'
import { type Expressions, ownedByOrganization, sameColumns, type TransferTable } from './transfer-table.js'

const place = {
  table: Prisma.sql`memberships`,
  staged: Prisma.sql`staged_user`,
  key: { organization_id: 'organization_id', user_id: 'id' },
}
const createdAt = Prisma.sql`coalesce(s.created_at, t.created_at, now())`
const teamRoles = eachRecord('team_roles', 'held', { team_id: 'text', role: 'team_user_role' })

const ownershipTypes = Object.fromEntries(
  ownedColumns.flatMap((column) => [
    [`${column}_owner`, 'field_owner'],
    [`${column}_owned_since`, 'timestamptz'],
  ]),
)

const ownership: Expressions = Object.fromEntries(
  ownedColumns.flatMap((column) => [
    [`${column}_owner`, Prisma.raw(`s.${column}_owner`)],
    [`${column}_owned_since`, Prisma.sql`coalesce(${Prisma.raw(`s.${column}_owned_since`)}, ${createdAt})`],
  ]),
)

const ownershipJson = Prisma.join(
  ownedColumns.map(
    (column) => Prisma.sql`json_build_object('field', 'USER_PROFILE_FIELD_${Prisma.raw(column.toUpperCase())}',
      'owner', 'FIELD_OWNER_' || m.${Prisma.raw(column)}_owner,
      'since', ${timestampText(Prisma.raw(`m.${column}_owned_since`))})`,
  ),
)

/** The manager is of the organization when the file says so, or a member that the file does not touch. */
const managerCheck = Prisma.sql`
SELECT s.line, 'managerUserId' AS field, format('there is no user %s in the organization', s.manager_user_id) AS fault
FROM staged_user s
LEFT JOIN staged_user o ON o.organization_id = s.organization_id AND o.id = s.manager_user_id
LEFT JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.manager_user_id
WHERE s.manager_user_id IS NOT NULL AND o.id IS NULL AND m.user_id IS NULL`

/** Walks down from those without a manager: who is not met has a circle of managers above. */
const managerCircleCheck = Prisma.sql`
WITH RECURSIVE touched AS (
  SELECT DISTINCT organization_id FROM staged_user
), placed AS (
  SELECT m.organization_id, m.user_id FROM touched JOIN memberships m ON m.organization_id = touched.organization_id
  WHERE m.manager_user_id IS NULL
  UNION ALL
  SELECT m.organization_id, m.user_id FROM placed
  JOIN memberships m ON m.organization_id = placed.organization_id AND m.manager_user_id = placed.user_id
)
SELECT s.line, 'managerUserId' AS field, 'the managers above the user go in a circle' AS fault
FROM staged_user s
LEFT JOIN placed p ON p.organization_id = s.organization_id AND p.user_id = s.id
WHERE p.user_id IS NULL`

/** A person's email is that of the person's last line, whatever the organization, and may be taken in any of them. */
const emailCheck = Prisma.sql`
SELECT s.line, 'email' AS field, format('user %s has it already', other.user_id) AS fault
FROM (SELECT id, max(line) AS line FROM staged_user GROUP BY id) s
JOIN memberships t ON t.user_id = s.id
JOIN memberships other ON other.organization_id = t.organization_id AND other.email_key = t.email_key
  AND other.user_id <> t.user_id
LEFT JOIN (SELECT id, max(line) AS line FROM staged_user GROUP BY id) o ON o.id = other.user_id
WHERE o.line IS NULL OR o.line < s.line`

/** People and their memberships. */
export const userTable: TransferTable = {
  ...place,
  columns: {
    ...{ owner_id: 'text', id: 'text', email: 'text', role: 'user_role', first_name: 'text', last_name: 'text' },
    ...{ avatar_url: 'text', timezone: 'text', locale: 'text', department: 'text', job_title: 'text' },
    ...{ primary_phone: 'text', manager_user_id: 'text', manager_assigned_at: 'timestamptz' },
    ...{ directory_managed: 'boolean', created_at: 'timestamptz', deactivated_at: 'timestamptz' },
    ...ownershipTypes,
    team_roles: 'jsonb',
  },
  owner: ownedByOrganization,
  values: {
    ...sameColumns('role', 'first_name', 'last_name', 'avatar_url', 'timezone', 'locale', 'department', 'job_title'),
    ...sameColumns('primary_phone', 'manager_user_id', 'directory_managed', 'deactivated_at'),
    email_key: Prisma.sql`(SELECT u.email_key FROM users u WHERE u.id = s.id)`,
    manager_assigned_at: Prisma.sql`CASE WHEN s.manager_user_id IS NOT NULL THEN coalesce(s.manager_assigned_at,
      CASE WHEN t.manager_user_id = s.manager_user_id THEN t.manager_assigned_at END,
      s.manager_owned_since, ${createdAt}) END`,
    created_at: createdAt,
    ...ownership,
  },
  checks: {
    manager: managerCheck,
    team: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`held.team_id`,
      field: Prisma.sql`format('teamRoles[%s].teamId', held.place - 1)`,
      noun: 'team',
      table: 'teams',
      from: teamRoles,
    }),
  },
  // So that circles are found, nobody else assigns managers in the organizations.
  prepare: Prisma.sql`
SELECT FROM (SELECT DISTINCT organization_id FROM staged_user ORDER BY organization_id) o
 WHERE ${inLockOfManagers(Prisma.sql`o.organization_id`)}`,
  before: [
    Prisma.sql`
INSERT INTO users (id, email, email_key)
SELECT DISTINCT ON (s.id) s.id, s.email, lower(s.email COLLATE "C") FROM staged_user s ORDER BY s.id, s.line DESC
ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email, email_key = EXCLUDED.email_key`,
  ],
  children: [
    Prisma.sql`
DELETE FROM team_members x USING staged_user s WHERE x.organization_id = s.organization_id AND x.user_id = s.id`,
    Prisma.sql`
INSERT INTO team_members (organization_id, team_id, user_id, role)
SELECT s.organization_id, held.team_id, s.id, held.role FROM staged_user s ${teamRoles}`,
  ],
  finalChecks: {
    email: emailCheck,
    phone: takenCheck({
      ...place,
      ...{ columns: ['primary_phone'], field: 'primaryPhone', noun: 'user', name: 'user_id' },
    }),
    manager_circle: managerCircleCheck,
  },
  select: Prisma.sql`
SELECT json_build_object('id', u.id, 'email', u.email, 'firstName', m.first_name, 'lastName', m.last_name,
  'role', 'USER_ROLE_' || m.role, 'avatarUrl', m.avatar_url, 'timezone', m.timezone, 'locale', m.locale,
  'department', m.department, 'jobTitle', m.job_title, 'primaryPhone', coalesce(m.primary_phone, ''),
  'managerUserId', coalesce(m.manager_user_id, ''), 'createdAt', ${timestampText(Prisma.sql`m.created_at`)},
  'deactivatedAt', ${timestampText(Prisma.sql`m.deactivated_at`)},
  'fieldOwnership', json_build_array(${ownershipJson}), 'organizationId', m.organization_id, 'teamRoles', (
    SELECT coalesce(json_agg(json_build_object('teamId', r.team_id, 'role', 'TEAM_USER_ROLE_' || r.role)
      ORDER BY r.team_id COLLATE "C"), '[]')
    FROM team_members r WHERE r.organization_id = m.organization_id AND r.user_id = m.user_id),
  'directoryManaged', m.directory_managed,
  'managerAssignedAt', ${timestampText(Prisma.sql`m.manager_assigned_at`)}) AS record
FROM memberships m JOIN users u ON u.id = m.user_id ORDER BY m.ordinal`,
}
