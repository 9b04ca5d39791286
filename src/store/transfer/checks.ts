import { Prisma } from '../../../gen/prisma/client.js'
import type { Columns } from '../../db/statement.js'
import { type Expressions, equal, type RecordOwner, type Reference, type StagedKind, storedValues } from './kind.js'

/** A fault of a record; the organization is empty if the record has none. */
export type Fault = Readonly<{ line: number } & Record<'id' | 'organizationId' | 'field' | 'fault', string>>

export const faultColumns: Columns<Fault> = {
  line: 'int4',
  id: 'text',
  organizationId: 'text',
  field: 'text',
  fault: 'text',
}

/** The targets of references: a noun, and the column with the id. */
const referenceTargets: Readonly<Record<string, { readonly noun: string; readonly id: string } | undefined>> = {
  teams: { noun: 'team', id: 'id' },
  groups: { noun: 'group', id: 'id' },
  memberships: { noun: 'user', id: 'user_id' },
  access_policies: { noun: 'access policy', id: 'id' },
  app_instances: { noun: 'app instance', id: 'id' },
  entity_types: { noun: 'entity type', id: 'id' },
  entity_ingestion_configs: { noun: 'ingestion config', id: 'id' },
}

/** Returns what is wrong with each line that breaks rules: the first of them. */
export function checkText(kind: StagedKind): Prisma.Sql {
  const { staged, organization, id, owner, unique = {} } = kind
  const texts = [
    ...(owner === undefined ? [] : [faultyOwners(staged, owner)]),
    ...referencesOf(kind).flatMap((reference) => missingTargets(staged, reference)),
    ...Object.entries(unique).map(([field, columns]) => takenValues(kind, field, columns)),
  ]
  const none = Prisma.sql`SELECT 0 AS line, '' AS field, '' AS fault WHERE false`
  const ranked = [none, ...texts].map(
    (text, rank) => Prisma.sql`SELECT ${Prisma.raw(String(rank))} AS rank, f.* FROM (${text}) f`,
  )
  return Prisma.sql`
WITH found AS MATERIALIZED (${Prisma.join(ranked, ' UNION ALL ')})
SELECT DISTINCT ON (found.line) found.line, s.${id}::text AS id, coalesce(s.${organization}, '') AS "organizationId",
       found.field, found.fault
  FROM found JOIN ${staged} s ON s.line = found.line
 ORDER BY found.line, found.rank`
}

/** Finds records whose owner does not exist, or is ambiguous, because several organizations have the id. */
function faultyOwners(staged: Prisma.Sql, { field, noun }: RecordOwner): Prisma.Sql {
  const one = /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field,
       format(CASE count(*) WHEN 1 THEN 'there is no ${Prisma.raw(noun)} %s'
              ELSE 'several organizations have ${Prisma.raw(one)} %s' END, s.owner_id) AS fault
  FROM ${staged} s GROUP BY s.line, s.owner_id HAVING count(*) > 1 OR count(s.organization_id) = 0`
}

/**
 * The references of a kind: those in the schema of the database, except the owner and records of the same kind, and
 * those that are declared.
 */
function referencesOf({ resource, owner, lists, references = [] }: StagedKind): Reference[] {
  const isForeign = (to: string | undefined): to is string => to !== undefined && to !== resource.table.name
  const ofRow = resource.fields.flatMap(({ field, source }): Reference[] => {
    if (source.kind !== 'column' || field.localName === owner?.field) return []
    const to = resource.table.references[source.name]
    const id = Prisma.raw(`s.${source.name}`)
    return isForeign(to) ? [{ to, id, field: Prisma.raw(`'${field.jsonName}'`), join: Prisma.empty }] : []
  })
  const ofItems = lists.flatMap(({ field, table, join, given, paths }) =>
    Object.entries(given).flatMap(([column, id]): Reference[] => {
      const to = table.references[column]
      const path = Prisma.raw(`format('${field.jsonName}[%s]${paths[column]}', item.place - 1)`)
      return isForeign(to) ? [{ to, id, field: path, join }] : []
    }),
  )
  return [...ofRow, ...ofItems, ...references]
}

/** Finds references to what is not in the record's organization. */
function missingTargets(staged: Prisma.Sql, { to, id, field, join }: Reference): Prisma.Sql[] {
  const target = referenceTargets[to]
  if (target === undefined) return []
  const column = Prisma.raw(`target.${target.id}`)
  return [
    Prisma.sql`
SELECT s.line, ${field} AS field, format('there is no ${Prisma.raw(target.noun)} %s in the organization', ${id}) AS fault
FROM ${staged} s ${join}
LEFT JOIN ${Prisma.raw(to)} target ON target.organization_id = s.organization_id AND ${column} = ${id}
WHERE ${id} <> '' AND ${column} IS NULL`,
  ]
}

/**
 * Finds values that another row will have as well: an existing one that the file does not change, or one of the file,
 * of which the later line is at fault.
 */
function takenValues(kind: StagedKind, field: string, columns: readonly string[]): Prisma.Sql {
  const { table, staged, key, id, stem, values = {} } = kind
  const noun = Prisma.raw(stem.replaceAll('_', ' '))
  const own: Expressions = { ...storedValues('s', [...key, ...columns]), ...values }
  const wanted = [...key, ...columns].map((column) => Prisma.sql`${own[column]} AS ${Prisma.raw(column)}`)
  const fault = Prisma.sql`
SELECT w.line, '${Prisma.raw(field)}' AS field, format('${noun} %s already has it', other.${id}) AS fault FROM wanted w`
  const isOther = equal(['organization_id', ...columns], 'other', 'w')
  return Prisma.sql`
WITH wanted AS (
  SELECT s.line, ${Prisma.join(wanted)} FROM ${staged} s LEFT JOIN ${table} t ON ${equal(key, 't', 's')}
)
${fault} JOIN wanted other ON ${isOther} AND other.line < w.line
UNION ALL
${fault} JOIN ${table} other ON ${isOther} LEFT JOIN ${staged} s ON ${equal(key, 's', 'other')} WHERE s.line IS NULL`
}
