import { Prisma } from '../../../gen/prisma/client.js'
import { createPreparedStatement, type PreparedStatement } from '../../db/statement.js'
import { camelCase } from './camel-case.js'
import { type Fault, ownerCheck } from './checks.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { transferTables } from './tables.js'
import type { Expressions, TransferTable } from './transfer-table.js'
import { lockText, upsertText } from './upsert.js'

type Columnless = PreparedStatement<object, Record<never, never>>
type Check = PreparedStatement<object, Fault>

/** The statements of one kind of record, in the order in which an import sends them, and that of the export. */
export interface KindStatements {
  readonly stage: Columnless
  readonly analyze: Columnless
  readonly checks: readonly Check[]
  readonly prepare: readonly Columnless[]
  readonly lock: Columnless
  readonly before: readonly Columnless[]
  readonly upsert: PreparedStatement<object, { readonly created: number }>
  readonly children: readonly Columnless[]
  readonly finalChecks: readonly Check[]
  readonly export: PreparedStatement<object, { readonly record: object }>
}

/** Rows up to a page's size stay uncompressed and in place: compressing what is read once costs more than it saves. */
export const TEMPORARY = Prisma.sql`WITH (toast_tuple_target = 8160) ON COMMIT DROP`

function statementsOf(kind: RecordKind, definition: TransferTable): KindStatements {
  const stem = kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const { staged, owner, prepare, before = [], children, select } = definition
  const plain = (name: string, text: Prisma.Sql): Columnless =>
    createPreparedStatement({ name, reason: 'set', columns: {}, text: () => text })
  const numbered = (name: string, texts: readonly Prisma.Sql[]) =>
    texts.map((text, index) => plain(`import_${stem}_${name}_${index + 1}`, text))
  const checks = (texts: Expressions) =>
    Object.entries(texts).map(([name, text]) => checkOf(`import_${stem}_check_${name}`, text))
  return {
    stage: plain(`stage_${stem}`, stageText(kind, definition)),
    analyze: plain(`analyze_${stem}`, Prisma.sql`ANALYZE ${staged}`),
    checks: checks({ ...(owner !== undefined && { owner: ownerCheck(staged, owner) }), ...definition.checks }),
    prepare: prepare === undefined ? [] : [plain(`import_${stem}_prepare`, prepare)],
    lock: plain(`import_${stem}_lock`, lockText(definition)),
    before: numbered('before', before),
    upsert: createPreparedStatement<object, { readonly created: number }>({
      ...{ name: `import_${stem}`, reason: 'set', columns: { created: 'int4' }, text: () => upsertText(definition) },
    }),
    children: numbered('child', children),
    finalChecks: checks(definition.finalChecks),
    export: createPreparedStatement<object, { readonly record: object }>({
      ...{ name: `export_${stem}`, reason: 'printed JSON', columns: { record: 'json' }, text: () => select },
    }),
  }
}

/** Gives the first fault of a check. */
function checkOf(name: string, text: Prisma.Sql): Check {
  return createPreparedStatement<object, Fault>({
    name,
    reason: 'set',
    columns: { line: 'int4', field: 'text', fault: 'text' },
    text: () => Prisma.sql`SELECT found.* FROM (${text}) found ORDER BY found.line LIMIT 1`,
  })
}

/** Makes the staging table: the rows of the kind with their types, and what their owners give. */
function stageText(kind: RecordKind, { staged, columns, owner }: TransferTable): Prisma.Sql {
  const names = Object.keys(columns)
  const own = names.map((column) => Prisma.raw(`r."${camelCase(column)}" AS ${column}`))
  const given = Object.entries(owner?.gives ?? {}).map(([name, value]) => Prisma.sql`${value} AS ${Prisma.raw(name)}`)
  const properties = Object.entries(columns).map(([column, type]) => Prisma.raw(`"${camelCase(column)}" ${type}`))
  const join =
    owner === undefined
      ? Prisma.empty
      : Prisma.raw(`LEFT JOIN ${owner.table} owner ON owner.id = r."${camelCase(owner.column)}"`)
  return Prisma.sql`
CREATE TEMPORARY TABLE ${staged} ${TEMPORARY} AS
SELECT i.first_line, i.line, ${Prisma.join([...own, ...given])}
FROM import_rows i CROSS JOIN LATERAL jsonb_to_record(i.row_values) AS r(${Prisma.join(properties)}) ${join}
WHERE i.kind = '${Prisma.raw(kind)}'`
}

/** The statements of every kind. */
export const kindStatements: ReadonlyMap<RecordKind, KindStatements> = new Map(
  recordKinds.map((kind) => [kind, statementsOf(kind, transferTables[kind])]),
)

/** The statements of this file. */
export const transferKindStatements = [...kindStatements.values()].flatMap((statements) => [
  ...[statements.stage, statements.analyze, ...statements.checks, ...statements.prepare, statements.lock],
  ...[...statements.before, statements.upsert, ...statements.children, ...statements.finalChecks, statements.export],
])
