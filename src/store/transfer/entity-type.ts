import { Prisma } from '../../../gen/prisma/client.js'
import { organizationCheck } from './checks.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`entity_types`, staged: Prisma.sql`staged_entity_type`, key: idKey }

/** Entity types. */
export const entityTypeTable: TransferTable = {
  ...place,
  columns: { id: 'text', team_id: 'text', name: 'text' },
  owner: ownedByTeam,
  values: sameColumns('organization_id', 'team_id', 'name'),
  checks: { organization: organizationCheck(place) },
  children: [],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', e.id, 'teamId', e.team_id, 'name', e.name) AS record
FROM entity_types e ORDER BY e.ordinal`,
}
