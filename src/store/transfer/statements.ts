import { Prisma } from '../../../gen/prisma/client.js'
import { type Columns, createStatement, type Places } from '../../db/statement.js'
import { type PrintedRow, storedText } from '../resource/print.js'
import { createRowLock, type NamedRows } from '../row-lock.js'
import { checkText, faultColumns } from './checks.js'
import { equal, listed, type StagedKind } from './kind.js'
import { existingText, mergeText, replaceText, stageText, TEMPORARY } from './staged-table.js'
import { listTexts, upsertText } from './write.js'

/** The outcome of a record in an import. */
export interface Outcome {
  readonly line: number
  readonly id: string
  readonly organizationId: string
  readonly isNew: boolean
  /** The fields that change, by their names in JSON. */
  readonly fields: readonly string[]
  /** The owners of governed fields in their order, before and after, as JSON, which takes less memory. */
  readonly oldOwners: string | null
  readonly newOwners: string | null
  /** The JSON of the record before and after, if asked for. */
  readonly before: string | null
  readonly after: string | null
}

/** Which outcomes to report, and how much of each. */
export interface OutcomeDetail {
  /** Whether to report all records, not only existing ones that change. */
  readonly isWhole: boolean
  /** Whether to include the records themselves. */
  readonly hasRecords: boolean
}

/** The organization to export; null for the whole database. */
export interface ExportedOrganization {
  readonly organizationId: string | null
}

/** Makes the statements of a kind of record, in the order in which an import sends them, and that of the export. */
export function statementsOf(kind: StagedKind) {
  const { stem, owner, followers, after = [] } = kind
  const byKey = { table: kind.resource.table, key: String(kind.key.at(-1)) }
  const make = <Row extends object = Record<never, never>, Values = object>(
    name: string,
    columns: Columns<Row>,
    text: (values: Places<Values>) => Prisma.Sql,
  ) => createStatement<Values, Row>({ name, columns, text })
  return {
    stage: make(`stage_${stem}`, {}, () => stageText(kind)),
    /** Sent only if there are records of the kind `of`. */
    followers: followers && { of: followers.of, stage: make(`import_${stem}_followers`, {}, () => followers.text) },
    /** Absent where every line of a record has the same key. */
    replace: owner?.isInOrganization
      ? make<{ readonly replaced: number }>(`import_${stem}_replace`, { replaced: 'int4' }, () => replaceText(kind))
      : undefined,
    findExisting: make<Omit<NamedRows, 'teamIds'>>(
      `import_${stem}_standing`,
      { organizationId: 'text', ids: 'text[]' },
      () => existingText(kind),
    ),
    lock: createRowLock({ name: `import_${stem}_lock`, ...byKey, strength: 'NO KEY UPDATE', read: [] }),
    /** Sent only if lines need not give everything. */
    merge: make(`import_${stem}_merge`, {}, () => mergeText(kind)),
    /** In the order of lines, one fault for each. */
    check: make(`import_${stem}_check`, faultColumns, () => checkText(kind)),
    /** Sent only if the check finds something. */
    takeOut: make<Record<never, never>, { readonly lines: readonly number[] }>(
      `import_${stem}_take_out`,
      {},
      ({ lines }) => Prisma.sql`DELETE FROM ${kind.staged} WHERE line = ANY (${lines}::integer[])`,
    ),
    stageBefore: make(`stage_${stem}_before`, {}, () => beforeText(kind)),
    upsert: make<{ readonly created: number }>(`import_${stem}`, { created: 'int4' }, () => upsertText(kind)),
    /** Sent after the lists and what follows them, where objects show these. */
    raise: kind.showsLists ? make(`import_${stem}_raise`, {}, () => raiseText(kind)) : undefined,
    lists: listTexts(kind).map((text, index) => make(`import_${stem}_list_${index + 1}`, {}, () => text)),
    after: after.map((text, index) => make(`import_${stem}_after_${index + 1}`, {}, () => text)),
    /** Sent when all kinds have been written. */
    outcomes: make<Outcome, OutcomeDetail>(`import_${stem}_outcomes`, outcomeColumns, (detail) =>
      outcomesText(kind, detail),
    ),
    export: make<PrintedRow, ExportedOrganization>(`export_${stem}`, { json: 'text' }, (exported) =>
      exportText(kind, exported),
    ),
  }
}

const outcomeColumns: Columns<Outcome> = {
  line: 'int4',
  id: 'text',
  organizationId: 'text',
  isNew: 'bool',
  fields: 'text[]',
  oldOwners: 'text',
  newOwners: 'text',
  before: 'text',
  after: 'text',
}

/** Copies the existing records that the file names, as an export has them, to a temporary table. */
function beforeText(kind: StagedKind): Prisma.Sql {
  return Prisma.sql`
CREATE TEMPORARY TABLE ${kind.before} ${TEMPORARY} AS ${imageText(kind, Prisma.sql`${kind.staged} WHERE is_record`)}`
}

/** Raises the versions of the existing records that the file changes, in their rows or in other tables. */
function raiseText(kind: StagedKind): Prisma.Sql {
  const { table, staged, before, key, values } = kind
  const updated = values?.['updated_at']
  return Prisma.sql`
WITH after AS MATERIALIZED (${imageText(kind, Prisma.sql`${staged} WHERE is_record`)})
UPDATE ${table} t SET version = t.version + 1${updated === undefined ? Prisma.empty : Prisma.sql`, updated_at = ${updated}`}
  FROM ${before} before JOIN after ON ${equal(key, 'after', 'before')}
 WHERE ${equal(key, 't', 'before')} AND before.record <> after.record`
}

/** The records of the rows that a table names, as an export has them. */
function imageText({ table, resource, key, join = Prisma.empty }: StagedKind, named: Prisma.Sql): Prisma.Sql {
  const { alias } = resource
  const columns = Prisma.raw(key.map((column) => `${alias}.${column}`).join(', '))
  return Prisma.sql`
SELECT ${columns}, (${storedText(resource)})::jsonb AS record FROM ${table} ${Prisma.raw(alias)} ${join}
 WHERE (${columns}) IN (SELECT ${listed(key)} FROM ${named})`
}

/** The outcomes of the existing records that change, or of all, in the order of lines. */
function outcomesText(kind: StagedKind, { isWhole, hasRecords }: Places<OutcomeDetail>): Prisma.Sql {
  const { staged, before, key, organization, id } = kind
  const isChanged = Prisma.sql`before.record <> after.record`
  const owners = (image: 'before' | 'after') =>
    Prisma.sql`jsonb_path_query_array(${Prisma.raw(image)}.record, '$.fieldOwnership[*].owner')::text`
  const columns = listed(key)
  // The condition names a column in each of its parts: Citus refuses outer joins beside what is the same for all rows.
  const reported = Prisma.sql`(SELECT ${columns} FROM ${before}
    UNION SELECT ${columns} FROM ${staged} WHERE CASE WHEN is_record THEN ${hasRecords}::boolean END) reported`
  return Prisma.sql`
WITH after AS MATERIALIZED (${imageText(kind, reported)})
SELECT s.line, s.${id}::text AS id, s.${organization} AS "organizationId", before.record IS NULL AS "isNew",
       ARRAY(SELECT key FROM jsonb_object_keys(before.record || after.record) key
              WHERE before.record -> key IS DISTINCT FROM after.record -> key ORDER BY key COLLATE "C") AS fields,
       ${owners('before')} AS "oldOwners", ${owners('after')} AS "newOwners",
       CASE WHEN ${hasRecords} THEN before.record::text END AS before,
       CASE WHEN ${hasRecords} THEN after.record::text END AS after
  FROM ${staged} s
  LEFT JOIN ${before} before ON ${equal(key, 'before', 's')}
  LEFT JOIN after ON ${equal(key, 'after', 's')}
 WHERE s.is_record AND (${isWhole} OR ${isChanged}) ORDER BY s.line`
}

/** The lines of one organization, or of all if it is null: then those whose owners' ids are not unique name theirs. */
function exportText(
  { kind, table, resource, organization, owner, join = Prisma.empty }: StagedKind,
  { organizationId }: Places<ExportedOrganization>,
): Prisma.Sql {
  const alias = Prisma.raw(resource.alias)
  const isExported = Prisma.sql`(${organizationId}::text IS NULL OR ${alias}.${organization} = ${organizationId})`
  const ownerId = owner?.isInOrganization && Prisma.raw(`${resource.alias}.${owner.column}`)
  const shared =
    ownerId &&
    Prisma.sql`
LEFT JOIN (SELECT id FROM ${Prisma.raw(owner?.table ?? '')} WHERE ${organizationId}::text IS NULL
            GROUP BY id HAVING count(*) > 1) shared ON shared.id = ${ownerId}`
  const named = Prisma.sql`CASE WHEN shared.id IS NOT NULL THEN '"organizationId":"' || ${alias}.${organization} || '",' ELSE '' END ||`
  return Prisma.sql`
SELECT '{' || ${shared ? named : Prisma.empty} '"${Prisma.raw(kind)}":' || ${storedText(resource)} || '}' AS json
FROM ${table} ${alias} ${join} ${shared || Prisma.empty}
WHERE ${isExported} ORDER BY ${alias}.ordinal`
}
