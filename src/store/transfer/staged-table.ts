import { Prisma } from '../../../gen/prisma/client.js'
import { type ColumnTypes, camelCase, jsonColumns } from '../resource/resource.js'
import { equal, listed, type StagedKind } from './kind.js'

/** Rows up to a page's size stay uncompressed and in place: compressing what is read once costs more than it saves. */
export const TEMPORARY = Prisma.sql`WITH (toast_tuple_target = 8160) ON COMMIT DROP`

/** Makes the staging table: the typed rows of the kind, the contents of lists, and what their owners give. */
export function stageText(stagedKind: StagedKind): Prisma.Sql {
  const { kind, staged, owner, extras, fields } = stagedKind
  const columns: ColumnTypes = Object.assign({}, ...fields.values(), extras)
  const gives = Object.entries(owner?.gives ?? {})
  const own = Object.keys(columns).filter((name) => owner?.gives[name] === undefined)
  const ownerId = owner && `r."${camelCase(owner.column)}"`
  const isOwner = `owner.id = ${ownerId}${owner?.isInOrganization ? ` AND i.organization_id IN ('', owner.organization_id)` : ''}`
  return Prisma.sql`
CREATE TEMPORARY TABLE ${staged} ${TEMPORARY} AS
SELECT i.first_line, i.line, i.given, true AS is_record, ${Prisma.join([
    ...own.map((name) => Prisma.raw(`r."${camelCase(name)}" AS ${name}`)),
    ...gives.map(([name, value]) => Prisma.sql`${value} AS ${Prisma.raw(name)}`),
    ...(ownerId === undefined ? [] : [Prisma.raw(`${ownerId} AS owner_id`)]),
  ])}
FROM import_rows i CROSS JOIN LATERAL json_to_record(i.row_values) AS r(${jsonColumns(columns)})
${owner === undefined ? Prisma.empty : Prisma.raw(`LEFT JOIN ${owner.table} owner ON ${isOwner}`)}
WHERE i.kind = '${Prisma.raw(kind)}'`
}

/**
 * Leaves the last line of each record, in the place of the first one, and returns `replaced`, the number of others.
 * Lines that have several owners stay, for the check to find them.
 */
export function replaceText({ staged, key }: StagedKind): Prisma.Sql {
  const isSame = equal(key, 's', 'r')
  return Prisma.sql`
WITH certain AS (
  SELECT line FROM ${staged} GROUP BY line HAVING count(*) = 1
), repeated AS (
  SELECT ${listed(key)}, min(first_line) AS first_line, max(line) AS line
    FROM ${staged} JOIN certain USING (line) GROUP BY ${listed(key)} HAVING count(*) > 1
), kept AS (
  UPDATE ${staged} s SET first_line = r.first_line FROM repeated r WHERE ${isSame} AND s.line = r.line
), gone AS (
  DELETE FROM ${staged} s USING repeated r, certain c
   WHERE ${isSame} AND s.line < r.line AND s.line = c.line RETURNING s.line
)
SELECT count(*)::integer AS replaced FROM gone`
}

export function existingText({ table, staged, key, organization, id }: StagedKind): Prisma.Sql {
  return Prisma.sql`
SELECT t.${organization} AS "organizationId", array_agg(t.${id}::text) AS ids
  FROM ${table} t JOIN ${staged} s ON ${equal(key, 't', 's')}
 GROUP BY t.${organization} ORDER BY t.${organization}`
}

/** Completes staged rows from the existing ones, except for what lines give and what the server fills in. */
export function mergeText(kind: StagedKind): Prisma.Sql {
  const { table, staged, key, owner, resource, fields, values = {}, elsewhere = {} } = kind
  const separateColumns = Object.values(elsewhere).flat()
  const columns = [...fields.values()].flatMap(Object.keys).filter((column) => {
    if (separateColumns.includes(column)) return true
    const isFilledIn = owner?.gives[column] !== undefined || values[column] !== undefined
    return resource.table.columns[column] !== undefined && !key.includes(column) && !isFilledIn
  })
  const assigned = columns.map(
    (name) => `${name} = CASE WHEN '${name}' = ANY (s.given) THEN s.${name} ELSE t.${name} END`,
  )
  return Prisma.sql`
UPDATE ${staged} s SET ${Prisma.raw(assigned.join(', '))} FROM ${table} t WHERE ${equal(key, 't', 's')} AND s.given IS NOT NULL`
}
