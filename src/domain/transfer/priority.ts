import { descriptionLimits, nameLimits } from '../text-field.js'
import { idOf, scopedIdOf, textOf } from './field-values.js'
import { newScopedId } from './scoped-id.js'
import { lockStatement, organizationCheck, sameColumns, takenCheck, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `priority`. */
export interface PriorityRecord {
  readonly id: string
  readonly teamId: string
  readonly priority: string
  readonly description: string
  readonly scopedId: string
  readonly name: string
  readonly isAiSelectable: boolean
}

const place = { table: 'priorities', staged: 'staged_priority', key: { id: 's.id' } }

/** Priorities in files. */
export const priorityTransfer: TransferResource<PriorityRecord> = {
  staged: place.staged,
  rowOf: (record, { runtime }) => ({
    key: idOf('id', record.id),
    values: {
      id: record.id,
      team_id: idOf('teamId', record.teamId),
      priority: textOf('priority', record.priority, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      scoped_id: scopedIdOf('scopedId', record.scopedId),
      new_scoped_id: record.scopedId === '' ? newScopedId('pri', runtime) : null,
      name: textOf('name', record.name, nameLimits),
      is_ai_selectable: record.isAiSelectable,
    },
  }),
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
  owner: { table: 'teams', column: 'team_id', field: 'teamId', gives: { organization_id: 'owner.organization_id' } },
  checks: [organizationCheck(place.table, place.staged)],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'team_id', 'priority', 'description', 'name', 'is_ai_selectable'),
      scoped_id: 'coalesce(s.scoped_id, t.scoped_id, s.new_scoped_id)',
    },
  }),
  children: [],
  finalChecks: [
    takenCheck({ ...place, columns: ['team_id', 'scoped_id'], field: 'scopedId', noun: 'priority', name: 'id' }),
  ],
  select: `
SELECT json_build_object('id', p.id, 'teamId', p.team_id, 'priority', p.priority, 'description', p.description,
  'scopedId', p.scoped_id, 'name', p.name, 'isAiSelectable', p.is_ai_selectable) AS record
FROM priorities p ORDER BY p.ordinal`,
}
