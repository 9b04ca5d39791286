import { Prisma } from '../../../gen/prisma/client.js'
import { organizationCheck } from './checks.js'
import { idKey, ownedByOrganization, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`teams`, staged: Prisma.sql`staged_team`, key: idKey }

/** Teams. */
export const teamTable: TransferTable = {
  ...place,
  columns: { id: 'text', owner_id: 'text', name: 'text' },
  owner: ownedByOrganization,
  values: sameColumns('organization_id', 'name'),
  checks: { organization: organizationCheck(place) },
  children: [],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', t.id, 'organizationId', t.organization_id, 'name', t.name) AS record
FROM teams t ORDER BY t.ordinal`,
}
