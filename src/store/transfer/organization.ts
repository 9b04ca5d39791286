import { Prisma } from '../../../gen/prisma/client.js'
import { idKey, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`organizations`, staged: Prisma.sql`staged_organization`, key: idKey }

/** Organizations. */
export const organizationTable: TransferTable = {
  ...place,
  columns: { id: 'text', name: 'text', region: 'region' },
  values: sameColumns('name', 'region'),
  checks: {},
  children: [],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', o.id, 'name', o.name, 'region', o.region) AS record FROM organizations o ORDER BY o.ordinal`,
}
