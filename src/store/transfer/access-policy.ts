import { Prisma } from '../../../gen/prisma/client.js'
import { organizationCheck } from './checks.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`access_policies`, staged: Prisma.sql`staged_access_policy`, key: idKey }

/** Access policies. */
export const accessPolicyTable: TransferTable = {
  ...place,
  columns: { id: 'text', team_id: 'text', name: 'text' },
  owner: ownedByTeam,
  values: sameColumns('organization_id', 'team_id', 'name'),
  checks: { organization: organizationCheck(place) },
  children: [],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', p.id, 'teamId', p.team_id, 'name', p.name) AS record
FROM access_policies p ORDER BY p.ordinal`,
}
