import type { Sql } from '../../db/sql.js'
import { governedFields } from '../field-ownership.js'
import { lockManagers } from '../manager-chain.js'
import type { Runtime } from '../runtime.js'
import { timestampColumn } from '../timestamp-column.js'
import { lockStatement, referenceCheck, sameColumns, takenCheck, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

const place = {
  table: 'memberships',
  staged: 'staged_user',
  key: { organization_id: 's.organization_id', user_id: 's.id' },
}
const createdAt = 'coalesce(s.created_at, t.created_at, now())'
const teamRoles = `CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(s.team_roles) AS (team_id text, role team_user_role))
  WITH ORDINALITY AS held(team_id, role, place)`

const ownership = Object.fromEntries(
  governedFields.flatMap((field) => {
    const name = field.toLowerCase()
    return [
      [`${name}_owner`, `s.${name}_owner`],
      [`${name}_owned_since`, `coalesce(s.${name}_owned_since, ${createdAt})`],
    ]
  }),
)

/** The manager is of the organization when the file says so, or a member that the file does not touch. */
const managerCheck = `
SELECT s.line, 'managerUserId' AS field, format('there is no user %s in the organization', s.manager_user_id) AS fault
FROM staged_user s
LEFT JOIN staged_user o ON o.organization_id = s.organization_id AND o.id = s.manager_user_id
LEFT JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.manager_user_id
WHERE s.manager_user_id IS NOT NULL AND o.id IS NULL AND m.user_id IS NULL`

/** Walks down from those without a manager: who is not met has a circle of managers above. */
const managerCircleCheck = `
WITH RECURSIVE touched AS (
  SELECT DISTINCT organization_id FROM staged_user
), placed AS (
  SELECT m.organization_id, m.user_id FROM touched JOIN memberships m USING (organization_id)
  WHERE m.manager_user_id IS NULL
  UNION ALL
  SELECT m.organization_id, m.user_id FROM placed
  JOIN memberships m ON m.organization_id = placed.organization_id AND m.manager_user_id = placed.user_id
)
SELECT s.line, 'managerUserId' AS field, 'the managers above the user go in a circle' AS fault
FROM staged_user s
LEFT JOIN placed p ON p.organization_id = s.organization_id AND p.user_id = s.id
WHERE p.user_id IS NULL`

/** How people are written and read. A person's email is that of the person's last line, whatever the organization. */
export const userStatements: Pick<
  TransferResource<never>,
  'checks' | 'lock' | 'before' | 'upsert' | 'children' | 'finalChecks' | 'select'
> = {
  checks: [
    managerCheck,
    referenceCheck({
      staged: place.staged,
      column: 'held.team_id',
      field: `format('teamRoles[%s].teamId', held.place - 1)`,
      noun: 'team',
      table: 'teams',
      from: teamRoles,
    }),
  ],
  lock: lockStatement(place),
  before: [
    `INSERT INTO users (id, email, email_key)
     SELECT DISTINCT ON (s.id) s.id, s.email, lower(s.email COLLATE "C") FROM staged_user s ORDER BY s.id, s.line DESC
     ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email, email_key = EXCLUDED.email_key`,
  ],
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('role', 'first_name', 'last_name', 'avatar_url', 'timezone', 'locale', 'department', 'job_title'),
      ...sameColumns('primary_phone', 'manager_user_id', 'directory_managed', 'deactivated_at'),
      email_key: '(SELECT u.email_key FROM users u WHERE u.id = s.id)',
      manager_assigned_at: `CASE WHEN s.manager_user_id IS NOT NULL THEN coalesce(s.manager_assigned_at,
        CASE WHEN t.manager_user_id = s.manager_user_id THEN t.manager_assigned_at END,
        s.manager_owned_since, ${createdAt}) END`,
      created_at: createdAt,
      ...ownership,
    },
  }),
  children: [
    `DELETE FROM team_members x USING staged_user s WHERE x.organization_id = s.organization_id AND x.user_id = s.id`,
    `INSERT INTO team_members (organization_id, team_id, user_id, role)
     SELECT s.organization_id, held.team_id, s.id, held.role FROM staged_user s ${teamRoles}`,
  ],
  finalChecks: [
    takenCheck({
      table: place.table,
      // The email of a person is that of the last line.
      staged: '(SELECT id, max(line) AS line FROM staged_user GROUP BY id)',
      key: { user_id: 's.id' },
      columns: ['organization_id', 'email_key'],
      field: 'email',
      noun: 'user',
      name: 'user_id',
    }),
    takenCheck({
      ...place,
      columns: ['organization_id', 'primary_phone'],
      field: 'primaryPhone',
      noun: 'user',
      name: 'user_id',
    }),
    managerCircleCheck,
  ],
  select: `
SELECT json_build_object('id', u.id, 'email', u.email, 'firstName', m.first_name, 'lastName', m.last_name,
  'role', 'USER_ROLE_' || m.role, 'avatarUrl', m.avatar_url, 'timezone', m.timezone, 'locale', m.locale,
  'department', m.department, 'jobTitle', m.job_title, 'primaryPhone', coalesce(m.primary_phone, ''),
  'managerUserId', coalesce(m.manager_user_id, ''), 'createdAt', ${timestampColumn('m.created_at')},
  'deactivatedAt', ${timestampColumn('m.deactivated_at')}, 'fieldOwnership', json_build_array(${ownershipJson()}),
  'organizationId', m.organization_id, 'teamRoles', (
    SELECT coalesce(json_agg(json_build_object('teamId', r.team_id, 'role', 'TEAM_USER_ROLE_' || r.role)
      ORDER BY r.team_id COLLATE "C"), '[]')
    FROM team_members r WHERE r.organization_id = m.organization_id AND r.user_id = m.user_id),
  'directoryManaged', m.directory_managed, 'managerAssignedAt', ${timestampColumn('m.manager_assigned_at')}) AS record
FROM memberships m JOIN users u ON u.id = m.user_id ORDER BY m.ordinal`,
}

function ownershipJson(): string {
  const entries = governedFields.map((field) => {
    const name = field.toLowerCase()
    return `json_build_object('field', 'USER_PROFILE_FIELD_${field}', 'owner', 'FIELD_OWNER_' || m.${name}_owner,
      'since', ${timestampColumn(`m.${name}_owned_since`)})`
  })
  return entries.join(', ')
}

/** Lets nobody else assign managers in the organizations of the staged people, so that circles are found. */
export async function lockStagedManagers(sql: Sql): Promise<void> {
  const organizations = await sql.query<{ organization_id: string }>(
    'SELECT DISTINCT organization_id FROM staged_user ORDER BY organization_id',
  )
  for (const { organization_id: organizationId } of organizations) await lockManagers(sql, organizationId)
}

/** Adds the departments of the staged people to what profiles of their organizations can name. */
export async function addDepartmentOptions(sql: Sql, runtime: Runtime): Promise<void> {
  const missing = await sql.query<{ organization_id: string; department: string }>(`
SELECT DISTINCT s.organization_id, s.department FROM staged_user s
LEFT JOIN department_options d ON d.organization_id = s.organization_id AND d.name = s.department
WHERE s.department <> '' AND d.id IS NULL ORDER BY s.organization_id, s.department`)
  await sql.execute(
    `INSERT INTO department_options (id, organization_id, name) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (organization_id, name) DO NOTHING`,
    [
      missing.map(() => runtime.newId()),
      missing.map((option) => option.organization_id),
      missing.map((option) => option.department),
    ],
  )
}
