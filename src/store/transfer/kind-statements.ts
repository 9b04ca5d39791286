import { Prisma } from '../../../gen/prisma/client.js'
import { createStatement, type Statement } from '../../db/statement.js'
import { camelCase } from '../camel-case.js'
import { storedText } from '../resource/print.js'
import { ambiguousOwnerCheck, type Fault, ownerCheck, takenCheck } from './checks.js'
import { listTexts } from './lists.js'
import { mergeText } from './merge.js'
import { countUpdatedText, imageText, type Outcome, outcomesText, tableOf } from './outcome.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { columnOf, referenceCheck, referencesOf } from './reference-check.js'
import { listColumns, propertiesOf, rowColumns } from './staged-columns.js'
import { equal, listed, type StagedTable, stagedTable } from './staged-table.js'
import { transferTables } from './tables.js'
import { type Expressions, type Ids, isOwnerInOrganization } from './transfer-table.js'
import { lockText, type StandingRows, standingText, upsertText } from './upsert.js'

type Columnless = Statement<object, Record<never, never>>
type Check = Statement<object, Fault>

/** A record as it is exported. */
export interface ExportRow {
  readonly json: string
  /** Null unless its owner's id alone does not say which organization it is of. */
  readonly organizationId: string | null
}

/** The statements of one kind of record, in the order in which an import sends them, and that of the export. */
export interface KindStatements {
  readonly stage: Columnless
  /** Sent only if there are records of the kind `of`. */
  readonly followers: { readonly of: RecordKind; readonly stage: Columnless } | undefined
  readonly analyze: Columnless
  readonly ownerChecks: readonly Check[]
  /** Absent where every line of a record has the same key. */
  readonly replace: Statement<object, { readonly replaced: number }> | undefined
  /** Absent where nothing is locked but rows. */
  readonly organizations: Statement<object, { readonly organizationId: string }> | undefined
  readonly findStanding: Statement<object, StandingRows>
  readonly lock: Statement<StandingRows, Record<never, never>>
  /** Sent only if lines need not give everything. */
  readonly merge: Columnless
  readonly checks: readonly Check[]
  /** What only `force` may do: each returns all faults. */
  readonly guards: readonly Check[]
  readonly stageBefore: Columnless
  readonly release:
    | {
        readonly find: Statement<object, { readonly id: string }>
        readonly write: Statement<Ids, object>
      }
    | undefined
  readonly before: readonly Columnless[]
  readonly upsert: Statement<object, { readonly created: number }>
  readonly children: readonly Columnless[]
  readonly stageAfter: Columnless
  readonly countUpdated: Statement<object, { readonly updated: number }>
  readonly outcomes: Statement<object, Outcome>
  readonly finalTables: readonly Columnless[]
  readonly finalChecks: readonly Check[]
  readonly export: Statement<object, ExportRow>
}

/** Rows up to a page's size stay uncompressed and in place: compressing what is read once costs more than it saves. */
export const TEMPORARY = Prisma.sql`WITH (toast_tuple_target = 8160) ON COMMIT DROP`

/** The statements of the records of a table. */
export function statementsOf(kind: StagedTable): KindStatements {
  const {
    stem,
    staged,
    owner,
    followers,
    lockOf,
    release,
    before,
    after = [],
    finalTables = {},
    finalChecks = {},
    guards = {},
  } = kind
  const plain = (name: string, text: Prisma.Sql): Columnless => createStatement({ name, columns: {}, text: () => text })
  const optional = (name: string, text: Prisma.Sql | undefined) => (text === undefined ? [] : [plain(name, text)])
  const temporary = (name: 'before' | 'after') =>
    plain(
      `stage_${stem}_${name}`,
      Prisma.sql`CREATE TEMPORARY TABLE ${tableOf(kind, name)} ${TEMPORARY} AS ${imageText(kind, name)}`,
    )
  const checks = (texts: Expressions) =>
    Object.entries(texts).map(([name, text]) => checkOf(`import_${stem}_check_${name}`, text))
  return {
    stage: plain(`stage_${stem}`, stageText(kind)),
    followers: followers && { of: followers.of, stage: plain(`import_${stem}_followers`, followers.text) },
    analyze: plain(`analyze_${stem}`, Prisma.sql`ANALYZE ${staged}`),
    ownerChecks: checks(ownerChecksOf(kind)),
    replace: isOwnerInOrganization(owner)
      ? createStatement<object, { readonly replaced: number }>({
          name: `import_${stem}_replace`,
          columns: { replaced: 'int4' },
          text: () => replaceText(kind),
        })
      : undefined,
    organizations:
      lockOf &&
      createStatement<object, { readonly organizationId: string }>({
        name: `import_${stem}_organizations`,
        columns: { organizationId: 'text' },
        text: () => Prisma.sql`SELECT DISTINCT organization_id AS "organizationId" FROM ${staged}`,
      }),
    findStanding: createStatement<object, StandingRows>({
      name: `import_${stem}_standing`,
      columns: { organizationId: 'text', ids: 'text[]' },
      text: () => standingText(kind),
    }),
    lock: createStatement<StandingRows, Record<never, never>>({
      name: `import_${stem}_lock`,
      columns: {},
      text: (rows) => lockText(kind, rows),
    }),
    merge: plain(`import_${stem}_merge`, mergeText(kind)),
    checks: checks(checksOf(kind)),
    guards: Object.entries(guards).map(([name, text]) => faultsOf(`import_${stem}_guard_${name}`, text)),
    stageBefore: temporary('before'),
    release: release && {
      find: createStatement<object, { readonly id: string }>({
        name: `import_${stem}_to_release`,
        columns: { id: 'text' },
        text: () => release.find,
      }),
      write: createStatement<Ids, Record<never, never>>({
        name: `import_${stem}_release`,
        columns: {},
        text: release.write,
      }),
    },
    before: optional(`import_${stem}_before`, before),
    upsert: createStatement<object, { readonly created: number }>({
      name: `import_${stem}`,
      columns: { created: 'int4' },
      text: () => upsertText(kind),
    }),
    children: [...listTexts(kind), ...after].map((text, index) => plain(`import_${stem}_child_${index + 1}`, text)),
    stageAfter: temporary('after'),
    countUpdated: createStatement<object, { readonly updated: number }>({
      name: `import_${stem}_updated`,
      columns: { updated: 'int4' },
      text: () => countUpdatedText(kind),
    }),
    outcomes: createStatement<object, Outcome>({
      name: `import_${stem}_outcomes`,
      columns: { line: 'int4', id: 'text', organizationId: 'text', isNew: 'bool', fields: 'text[]' },
      text: () => outcomesText(kind),
    }),
    finalTables: Object.entries(finalTables).map(([name, text]) =>
      plain(`stage_${name}`, Prisma.sql`CREATE TEMPORARY TABLE ${Prisma.raw(name)} ${TEMPORARY} AS ${text}`),
    ),
    finalChecks: checks(finalChecks),
    export: createStatement<object, ExportRow>({
      name: `export_${stem}`,
      columns: { json: 'text', organizationId: 'text' },
      text: () => exportText(kind),
    }),
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

/** Returns the first fault of a check. */
function checkOf(name: string, text: Prisma.Sql): Check {
  return faultsOf(name, Prisma.sql`SELECT found.* FROM (${text}) found ORDER BY found.line LIMIT 1`)
}

function faultsOf(name: string, text: Prisma.Sql): Check {
  const columns = { line: 'int4', field: 'text', fault: 'text' } as const
  return createStatement<object, Fault>({ name, columns, text: () => text })
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
export const transferKindStatements = [...kindStatements.values()].flatMap((statements) => [
  statements.stage,
  ...(statements.followers === undefined ? [] : [statements.followers.stage]),
  statements.analyze,
  ...statements.ownerChecks,
  ...(statements.replace === undefined ? [] : [statements.replace]),
  ...(statements.organizations === undefined ? [] : [statements.organizations]),
  statements.findStanding,
  statements.lock,
  statements.merge,
  ...statements.checks,
  ...statements.guards,
  statements.stageBefore,
  ...(statements.release === undefined ? [] : [statements.release.find, statements.release.write]),
  ...statements.before,
  statements.upsert,
  ...statements.children,
  statements.stageAfter,
  statements.countUpdated,
  statements.outcomes,
  ...statements.finalTables,
  ...statements.finalChecks,
  statements.export,
])
