import { Prisma } from '../../../gen/prisma/client.js'
import { organizationCheck, takenCheck } from './checks.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`priorities`, staged: Prisma.sql`staged_priority`, key: idKey }

/** Priorities. */
export const priorityTable: TransferTable = {
  ...place,
  columns: {
    id: 'text',
    team_id: 'text',
    priority: 'text',
    description: 'text',
    scoped_id: 'text',
    new_scoped_id: 'text',
    name: 'text',
    is_ai_selectable: 'boolean',
  },
  owner: ownedByTeam,
  values: {
    ...sameColumns('organization_id', 'team_id', 'priority', 'description', 'name', 'is_ai_selectable'),
    scoped_id: Prisma.sql`coalesce(s.scoped_id, t.scoped_id, s.new_scoped_id)`,
  },
  checks: { organization: organizationCheck(place) },
  children: [],
  finalChecks: {
    scoped_id: takenCheck({
      ...place,
      columns: ['team_id', 'scoped_id'],
      field: 'scopedId',
      noun: 'priority',
      name: 'id',
    }),
  },
  select: Prisma.sql`
SELECT json_build_object('id', p.id, 'teamId', p.team_id, 'priority', p.priority, 'description', p.description,
  'scopedId', p.scoped_id, 'name', p.name, 'isAiSelectable', p.is_ai_selectable) AS record
FROM priorities p ORDER BY p.ordinal`,
}
