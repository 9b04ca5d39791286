import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { PrioritySchema } from '../../gen/svc/v2/priority_pb.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'
import { createStandardStore } from './standard-methods.js'

/** Priorities of tickets. */
export const priorityResource = declareResource(PrioritySchema, schema.Priority, 'p')

/** New values of a priority, if it is in the scope; absent values stay unchanged. */
export interface PriorityChange extends Scope {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
}

/** A priority after a change, with the names of the fields that differ from before. */
export interface ChangedPriority extends PrintedRow {
  readonly teamId: string
  readonly changedFields: readonly string[]
}

const update = createStatement<PriorityChange, ChangedPriority>({
  name: 'update_priority',
  columns: { json: 'text', teamId: 'text', changedFields: 'text[]' },
  text: (change) => Prisma.sql`
WITH old AS (
  SELECT * FROM priorities
   WHERE id = ${change.id} AND organization_id = ${change.organizationId}
     AND ${inTeams(Prisma.sql`team_id`, change.teamIds)}
     FOR NO KEY UPDATE
), updated AS (
  UPDATE priorities p
     SET name = coalesce(${change.name}, p.name),
         description = coalesce(${change.description}, p.description),
         is_ai_selectable = coalesce(${change.isAiSelectable}, p.is_ai_selectable)
    FROM old
   WHERE p.id = old.id AND p.organization_id = ${change.organizationId}
  RETURNING p.*
)
SELECT ${rowText(priorityResource)} AS json, p.team_id AS "teamId",
       CASE WHEN p.name <> old.name THEN ARRAY['name'] END
       || CASE WHEN p.description <> old.description THEN ARRAY['description'] END
       || CASE WHEN p.is_ai_selectable <> old.is_ai_selectable THEN ARRAY['isAiSelectable'] END
       || '{}'::text[] AS "changedFields"
  FROM updated p, old`,
})

/** The standard methods; updates have a statement of their own. */
export const priorityStore = createStandardStore(priorityResource)

/** The statements of this file. */
export const priorityStatements = [update, ...priorityStore.statements]

/** Changes a priority and returns it; undefined if it is not in the scope. */
export async function updatePriority(tables: Tables, change: PriorityChange): Promise<ChangedPriority | undefined> {
  return (await tables.run(update, change))[0]
}
