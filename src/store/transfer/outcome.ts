import { Prisma } from '../../../gen/prisma/client.js'
import { storedText } from '../resource/print.js'
import { equal, listed, type StagedTable } from './staged-table.js'

/** What an import makes of a record. */
export interface Outcome {
  readonly line: number
  readonly id: string
  readonly organizationId: string
  readonly isNew: boolean
  /** The fields that change, by their names in JSON. */
  readonly fields: readonly string[]
}

/** Whether a record stood before, and is another one after. */
const isChanged = Prisma.sql`before.record <> after.record`

const changedFields = Prisma.sql`
ARRAY(SELECT key FROM jsonb_each(before.record) old FULL JOIN jsonb_each(after.record) new USING (key)
       WHERE old.value IS DISTINCT FROM new.value ORDER BY key COLLATE "C")`

/** Keeps the records that stand, as an export has them, in a temporary table; later ones keep those of an earlier one. */
export function imageText(kind: StagedTable, name: 'before' | 'after'): Prisma.Sql {
  const { table, resource, identity, join = Prisma.empty, staged } = kind
  const { alias } = resource
  const columns = Prisma.raw(identity.map((column) => `${alias}.${column}`).join(', '))
  const asked = name === 'before' ? Prisma.sql`${staged} WHERE is_record` : tableOf(kind, 'before')
  return Prisma.sql`
SELECT ${columns}, (${storedText(resource)})::jsonb AS record FROM ${table} ${Prisma.raw(alias)} ${join}
 WHERE (${columns}) IN (SELECT ${listed(identity)} FROM ${asked})`
}

/** The temporary table of the records as they stand before or after. */
export function tableOf({ stem }: StagedTable, name: 'before' | 'after'): Prisma.Sql {
  return Prisma.raw(`${name}_${stem}`)
}

/** Counts the records that stood and are changed. */
export function countUpdatedText(kind: StagedTable): Prisma.Sql {
  return Prisma.sql`
SELECT count(*)::integer AS updated FROM ${tableOf(kind, 'before')} before
  JOIN ${tableOf(kind, 'after')} after ON ${equal(kind.identity, 'before', 'after')} WHERE ${isChanged}`
}

/** Says of every record, in the order of lines, what becomes of it. */
export function outcomesText(kind: StagedTable): Prisma.Sql {
  const { staged, identity } = kind
  const [organization, id] = [identity[0], identity.at(-1)].map((column) => Prisma.raw(`s.${column}`))
  return Prisma.sql`
SELECT s.line, ${id}::text AS id, ${organization} AS "organizationId", before.record IS NULL AS "isNew",
       CASE WHEN ${isChanged} THEN ${changedFields} ELSE '{}' END AS fields
  FROM ${staged} s
  LEFT JOIN ${tableOf(kind, 'before')} before ON ${equal(identity, 'before', 's')}
  LEFT JOIN ${tableOf(kind, 'after')} after ON ${equal(identity, 'after', 's')}
 WHERE s.is_record ORDER BY s.line`
}

/** A member who stood and is changed: the fields that change, and the owners of the governed ones in their order. */
export interface ImportedChange {
  readonly organizationId: string
  readonly userId: string
  readonly fields: readonly string[]
  readonly oldOwners: readonly string[]
  readonly newOwners: readonly string[]
}

/** Finds members who stood and are changed, in the order of lines. */
export const changedMembers = Prisma.sql`
SELECT s.organization_id AS "organizationId", s.user_id AS "userId", ${changedFields} AS fields,
       jsonb_path_query_array(before.record, '$.fieldOwnership[*].owner') AS "oldOwners",
       jsonb_path_query_array(after.record, '$.fieldOwnership[*].owner') AS "newOwners"
  FROM staged_user s
  JOIN before_user before ON ${equal(['organization_id', 'user_id'], 'before', 's')}
  JOIN after_user after ON ${equal(['organization_id', 'user_id'], 'after', 's')}
 WHERE ${isChanged} ORDER BY s.line`
