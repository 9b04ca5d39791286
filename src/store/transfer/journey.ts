import { Prisma } from '../../../gen/prisma/client.js'
import { memberCheck, organizationCheck } from './checks.js'
import { journeyChildren, journeySelect, journeyTasks } from './journey-parts.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`journeys`, staged: Prisma.sql`staged_journey`, key: idKey }

/** Journeys with all their parts. */
export const journeyTable: TransferTable = {
  ...place,
  columns: {
    id: 'uuid',
    team_id: 'text',
    friendly_identifier: 'text',
    name: 'text',
    description: 'text',
    created_at: 'timestamptz',
    archived_at: 'timestamptz',
    requester_user_id: 'text',
    requester_manager_user_id: 'text',
    due_date: 'date',
    metadata: 'jsonb',
    created_by_workflow_id: 'text',
    created_by_workflow_name: 'text',
    tasks: 'jsonb',
    health_checks: 'jsonb',
    workflow_failures: 'jsonb',
    custom_fields: 'jsonb',
  },
  owner: ownedByTeam,
  values: {
    ...sameColumns('organization_id', 'team_id', 'friendly_identifier', 'name', 'description', 'archived_at'),
    ...sameColumns('requester_user_id', 'requester_manager_user_id', 'due_date', 'metadata'),
    ...sameColumns('created_by_workflow_id', 'created_by_workflow_name'),
    created_at: Prisma.sql`coalesce(s.created_at, t.created_at, now())`,
  },
  checks: {
    organization: organizationCheck(place),
    requester_user_id: memberCheck({
      staged: place.staged,
      column: Prisma.sql`s.requester_user_id`,
      field: Prisma.sql`'requesterUserId'`,
    }),
    requester_manager_user_id: memberCheck({
      staged: place.staged,
      column: Prisma.sql`s.requester_manager_user_id`,
      field: Prisma.sql`'requesterManagerUserId'`,
    }),
    assigned_to_user_id: memberCheck({
      staged: place.staged,
      column: Prisma.sql`task.assigned_to_user_id`,
      field: Prisma.sql`format('tasks[%s].assignedToUserId', task.place - 1)`,
      from: journeyTasks,
    }),
  },
  children: journeyChildren,
  finalChecks: {},
  select: journeySelect,
}
