import { fromJson, type JsonObject, type MessageShape } from '@bufbuild/protobuf'
import { UserRoleSchema, UserSchema, UserUpdateSchema } from '../../../../gen/svc/v2/user_pb.js'
import { enumText, labelOf, numberText } from '../../api/words.js'
import { columnsOf, withoutGuards } from '../../ui/csv.js'
import { type CsvRow, readRows } from './csv-rows.js'

/** An update of a person, and the line that asks for it. */
export interface CsvUpdate {
  readonly line: number
  /** Without an id where the line names the person by address. */
  readonly update: MessageShape<typeof UserUpdateSchema>
  /** The address of the person, where the line has no id. */
  readonly address: string | undefined
}

/** What a file of separated values asks for. */
export interface CsvUpdates {
  readonly updates: readonly CsvUpdate[]
  /** The columns of an export that an update cannot change. */
  readonly ignored: readonly string[]
  /** What is wrong with the file as a whole. */
  readonly faults: readonly string[]
  /** What is wrong with single lines, which stand beside the others. */
  readonly badLines: readonly { readonly line: number; readonly who: string; readonly fault: string }[]
}

/** What one call can change, and what a file can. */
export const [MAX_UPDATES, MAX_PEOPLE] = [500, 10_000]

/** The columns that can be given, with the id. */
export const columns = UserUpdateSchema.fields
  .filter(({ fieldKind }) => fieldKind === 'scalar' || fieldKind === 'enum')
  .map(({ jsonName }) => jsonName)

/** The columns by their names, and by those that people read, without case, blanks and the like. */
const columnNames = new Map(
  columns.flatMap((name) => [name, labelOf(name)].map((each) => [plain(each), name] as const)),
)

const exported = new Set(columnsOf(UserSchema).map(({ label }) => plain(label)))

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}

const nothing: CsvUpdates = { updates: [], ignored: [], faults: [], badLines: [] }

/** Reads a header with `id` or `email`, and a row for each person. An empty cell leaves a field, `""` clears it. */
export function readUpdates(text: string): CsvUpdates {
  const { rows, faults } = readRows(text)
  const [header, ...people] = withoutEmptyColumns(rows)
  if (header === undefined) return { ...nothing, faults: ['The file is empty.'] }
  const names = header.cells.map((cell) => columnNames.get(plain(cell)))
  const all = [...faults, ...headerFaults(header, names)]
  if (people.length > MAX_PEOPLE) all.push(`More than ${numberText(MAX_PEOPLE)} people: split the file.`)
  if (all.length > 0) return { ...nothing, faults: all }
  const updates = people.map((row) => updateFrom(row, names))
  return {
    ...nothing,
    updates: updates.flatMap((each) => ('fault' in each ? [] : each)),
    ignored: header.cells.filter((_, index) => names[index] === undefined),
    badLines: updates.flatMap((each) => ('fault' in each ? each : [])),
  }
}

/** Without the columns that have neither a name nor a value, which spreadsheets leave at the end. */
function withoutEmptyColumns(rows: readonly CsvRow[]): readonly CsvRow[] {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.findLastIndex((cell) => cell.trim() !== '') + 1))
  return rows.map(({ line, cells }) => ({ line, cells: cells.slice(0, width) }))
}

function headerFaults({ line, cells }: CsvRow, names: readonly (string | undefined)[]): string[] {
  const unknown = cells.filter((cell, index) => names[index] === undefined && !exported.has(plain(cell)))
  const twice = names.filter((name, index) => name !== undefined && names.indexOf(name) !== index)
  return [
    ...(unknown.length > 0
      ? [`line ${line}: no field is called ${unknown.join(', ')}; there are ${columns.map(labelOf).join(', ')}`]
      : []),
    ...twice.map((name) => `line ${line}: there are two columns ${labelOf(String(name))}`),
    ...(names.includes('id') || names.includes('email') ? [] : [`line ${line}: a column called ID or Email is needed`]),
  ]
}

/** Roles by what people call them, and by their names. */
const roles = new Map(
  UserRoleSchema.values
    .slice(1)
    .flatMap(({ name, number }) =>
      [enumText(UserRoleSchema, number), name].map((each) => [plain(each), name] as const),
    ),
)

/** The update of a row, or what is wrong with it. */
function updateFrom(
  { line, cells }: CsvRow,
  names: readonly (string | undefined)[],
): CsvUpdate | CsvUpdates['badLines'][number] {
  const given = names.flatMap((name, index): [string, string][] => {
    const value = cells[index]?.trim() ?? ''
    return name === undefined || value === '' ? [] : [[name, value === '""' ? '' : withoutGuards(value)]]
  })
  const { email, role, ...others }: Partial<Record<string, string>> = Object.fromEntries(given)
  const bad = (fault: string) => ({ line, who: others['id'] ?? email ?? '', fault })
  // Spreadsheets leave out some of the empty cells at the end of a row.
  const isWhole = cells.length <= names.length && names.slice(cells.length).every((name) => name === undefined)
  if (!isWhole) return bad(`${cells.length} cells, and the header has ${names.length}.`)
  const isByAddress = others['id'] === undefined
  if (isByAddress && email === undefined) return bad('It names nobody: give an id or an email.')
  const named = role === undefined ? undefined : roles.get(plain(role))
  if (role !== undefined && named === undefined) return bad('The role must be Administrator, Member or Guest.')
  const fields = { ...others, ...(named && { role: named }), ...(!isByAddress && email !== undefined && { email }) }
  return { line, update: fromJson(UserUpdateSchema, fields as JsonObject), address: isByAddress ? email : undefined }
}
