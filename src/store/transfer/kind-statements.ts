import { Prisma } from '../../../gen/prisma/client.js'
import { type Columns, createStatement, type Places, type Statement } from '../../db/statement.js'
import { camelCase } from '../camel-case.js'
import { storedText } from '../resource/print.js'
import {
  ambiguousOwnerCheck,
  columnOf,
  type Fault,
  ownerCheck,
  referenceCheck,
  referencesOf,
  takenCheck,
} from './checks.js'
import { listTexts } from './lists.js'
import { countUpdatedText, imageText, type Outcome, outcomesText, tableOf } from './outcome.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { equal, listColumns, listed, propertiesOf, rowColumns, type StagedTable, stagedTable } from './staged-table.js'
import { transferTables } from './tables.js'
import { type Expressions, type Ids, isOwnerInOrganization } from './transfer-table.js'
import { lockText, mergeText, type StandingRows, standingText, upsertText } from './upsert.js'

/** A record as it is exported. */
export interface ExportRow {
  readonly json: string
  /** Null unless its owner's id alone does not say which organization it is of. */
  readonly organizationId: string | null
}

/** The statements of one kind of record, in the order in which an import sends them, and that of the export. */
export type KindStatements = ReturnType<typeof statementsOf>

/** Rows up to a page's size stay uncompressed and in place: compressing what is read once costs more than it saves. */
export const TEMPORARY = Prisma.sql`WITH (toast_tuple_target = 8160) ON COMMIT DROP`

/** Makes the statements of the records of a table; `all` are all of them. */
export function statementsOf(kind: StagedTable) {
  const { stem, staged, owner, followers, lockOf, release, before, after = [] } = kind
  const all: Statement<never, object>[] = []
  const make = <Row extends object, Values = object>(
    name: string,
    columns: Columns<Row>,
    text: (values: Places<Values>) => Prisma.Sql,
  ): Statement<Values, Row> => {
    const made = createStatement<Values, Row>({ name, columns, text })
    all.push(made)
    return made
  }
  const plain = (name: string, text: Prisma.Sql) => make<Record<never, never>>(name, {}, () => text)
  const image = (name: 'before' | 'after') => {
    const text = Prisma.sql`CREATE TEMPORARY TABLE ${tableOf(kind, name)} ${TEMPORARY} AS ${imageText(kind, name)}`
    return plain(`stage_${stem}_${name}`, text)
  }
  const faults = (name: string, text: Prisma.Sql) =>
    make<Fault>(`import_${stem}_${name}`, { line: 'int4', field: 'text', fault: 'text' }, () => text)
  /** Each returns the first fault. */
  const checks = (texts: Expressions = {}) =>
    Object.entries(texts).map(([name, text]) =>
      faults(`check_${name}`, Prisma.sql`SELECT found.* FROM (${text}) found ORDER BY found.line LIMIT 1`),
    )
  return {
    all,
    stage: plain(`stage_${stem}`, stageText(kind)),
    /** Sent only if there are records of the kind `of`. */
    followers: followers && { of: followers.of, stage: plain(`import_${stem}_followers`, followers.text) },
    analyze: plain(`analyze_${stem}`, Prisma.sql`ANALYZE ${staged}`),
    ownerChecks: checks(ownerChecksOf(kind)),
    /** Absent where every line of a record has the same key. */
    replace: isOwnerInOrganization(owner)
      ? make<{ readonly replaced: number }>(`import_${stem}_replace`, { replaced: 'int4' }, () => replaceText(kind))
      : undefined,
    /** Absent where nothing is locked but rows. */
    organizations:
      lockOf &&
      make<{ readonly organizationId: string }>(
        `import_${stem}_organizations`,
        { organizationId: 'text' },
        () => Prisma.sql`SELECT DISTINCT organization_id AS "organizationId" FROM ${staged}`,
      ),
    findStanding: make<StandingRows>(`import_${stem}_standing`, { organizationId: 'text', ids: 'text[]' }, () =>
      standingText(kind),
    ),
    lock: make<Record<never, never>, StandingRows>(`import_${stem}_lock`, {}, (rows) => lockText(kind, rows)),
    /** Sent only if lines need not give everything. */
    merge: plain(`import_${stem}_merge`, mergeText(kind)),
    checks: checks(checksOf(kind)),
    /** What only `force` may do: each returns all faults. */
    guards: Object.entries(kind.guards ?? {}).map(([name, text]) => faults(`guard_${name}`, text)),
    stageBefore: image('before'),
    release: release && {
      find: make<{ readonly id: string }>(`import_${stem}_to_release`, { id: 'text' }, () => release.find),
      write: make<Record<never, never>, Ids>(`import_${stem}_release`, {}, release.write),
    },
    before: before === undefined ? [] : [plain(`import_${stem}_before`, before)],
    upsert: make<{ readonly created: number }>(`import_${stem}`, { created: 'int4' }, () => upsertText(kind)),
    children: [...listTexts(kind), ...after].map((text, index) => plain(`import_${stem}_child_${index + 1}`, text)),
    stageAfter: image('after'),
    countUpdated: make<{ readonly updated: number }>(`import_${stem}_updated`, { updated: 'int4' }, () =>
      countUpdatedText(kind),
    ),
    outcomes: make<Outcome>(
      `import_${stem}_outcomes`,
      { line: 'int4', id: 'text', organizationId: 'text', isNew: 'bool', fields: 'text[]' },
      () => outcomesText(kind),
    ),
    finalTables: Object.entries(kind.finalTables ?? {}).map(([name, text]) =>
      plain(`stage_${name}`, Prisma.sql`CREATE TEMPORARY TABLE ${Prisma.raw(name)} ${TEMPORARY} AS ${text}`),
    ),
    finalChecks: checks(kind.finalChecks),
    export: make<ExportRow>(`export_${stem}`, { json: 'text', organizationId: 'text' }, () => exportText(kind)),
  }
}

function exportText({ table, resource, owner, join = Prisma.empty }: StagedTable): Prisma.Sql {
  const alias = Prisma.raw(resource.alias)
  const json = storedText(resource)
  if (!isOwnerInOrganization(owner)) {
    return Prisma.sql`
SELECT ${json} AS json, NULL::text AS "organizationId" FROM ${table} ${alias} ${join} ORDER BY ${alias}.ordinal`
  }
  const ownerId = Prisma.raw(columnOf(resource, owner.field))
  return Prisma.sql`
SELECT ${json} AS json, CASE WHEN shared.id IS NOT NULL THEN ${alias}.organization_id END AS "organizationId"
FROM ${table} ${alias} ${join}
LEFT JOIN (SELECT id FROM ${Prisma.raw(owner.table)} GROUP BY id HAVING count(*) > 1) shared ON shared.id = ${alias}.${ownerId}
ORDER BY ${alias}.ordinal`
}

/** The checks of owners, which come before all others, by name. */
function ownerChecksOf({ staged, owner }: StagedTable): Expressions {
  return {
    ...(owner !== undefined && { owner: ownerCheck(staged, owner) }),
    ...(isOwnerInOrganization(owner) && { ambiguous_owner: ambiguousOwnerCheck(staged, owner) }),
  }
}

/** The other checks before anything is written, by name. */
function checksOf(kind: StagedTable): Expressions {
  const { staged, unique = {} } = kind
  const references = [...referencesOf(kind)].map(([name, reference]) => [name, referenceCheck(staged, reference)])
  const taken = Object.entries(unique).map(([field, columns]) => [columns.at(-1), takenCheck(kind, field, columns)])
  return {
    ...Object.fromEntries(references),
    ...kind.checks,
    ...Object.fromEntries(taken),
  }
}

/** Makes the staging table: the typed rows of the kind, the contents of lists, and what their owners give. */
function stageText({ kind, staged, resource, owner, extras }: StagedTable): Prisma.Sql {
  const columns = { ...rowColumns(resource), ...listColumns(resource), ...extras }
  const gives = Object.entries(owner?.gives ?? {})
  const own = Object.keys(columns).filter((name) => owner?.gives[name] === undefined)
  const ownerId = owner && `r."${camelCase(columnOf(resource, owner.field))}"`
  const isOwner = `owner.id = ${ownerId}${isOwnerInOrganization(owner) ? ` AND i.organization_id IN ('', owner.organization_id)` : ''}`
  return Prisma.sql`
CREATE TEMPORARY TABLE ${staged} ${TEMPORARY} AS
SELECT i.first_line, i.line, i.given, true AS is_record, ${Prisma.join([
    ...own.map((name) => Prisma.raw(`r."${camelCase(name)}" AS ${name}`)),
    ...gives.map(([name, value]) => Prisma.sql`${value} AS ${Prisma.raw(name)}`),
    ...(ownerId === undefined ? [] : [Prisma.raw(`${ownerId} AS owner_id`)]),
  ])}
FROM import_rows i CROSS JOIN LATERAL json_to_record(i.row_values) AS r(${Prisma.raw(propertiesOf(columns))})
${owner === undefined ? Prisma.empty : Prisma.raw(`LEFT JOIN ${owner.table} owner ON ${isOwner}`)}
WHERE i.kind = '${Prisma.raw(kind)}'`
}

/** Leaves the last line of each record, in the place of the first one, and returns `replaced`, the number of others. */
function replaceText({ staged, identity }: StagedTable): Prisma.Sql {
  const isSame = equal(identity, 's', 'r')
  return Prisma.sql`
WITH repeated AS (
  SELECT ${listed(identity)}, min(first_line) AS first_line, max(line) AS line
    FROM ${staged} GROUP BY ${listed(identity)} HAVING count(*) > 1
), kept AS (
  UPDATE ${staged} s SET first_line = r.first_line FROM repeated r WHERE ${isSame} AND s.line = r.line
), gone AS (
  DELETE FROM ${staged} s USING repeated r WHERE ${isSame} AND s.line < r.line RETURNING s.line
)
SELECT count(*)::integer AS replaced FROM gone`
}

/** The statements of every kind. */
export const kindStatements: ReadonlyMap<RecordKind, KindStatements> = new Map(
  recordKinds.map((kind) => [kind, statementsOf(stagedTable(kind, transferTables[kind]))]),
)

/** The statements of this file. */
export const transferKindStatements = [...kindStatements.values()].flatMap(({ all }) => all)
