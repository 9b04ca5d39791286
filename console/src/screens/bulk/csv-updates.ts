import { fromJson, type JsonObject, type MessageShape } from '@bufbuild/protobuf'
import { parse } from 'papaparse'
import { UserUpdateSchema } from '../../../../gen/svc/v2/user_pb.js'

/** What a file of comma-separated values asks for. */
export interface CsvUpdates {
  readonly updates: readonly MessageShape<typeof UserUpdateSchema>[]
  /** What is wrong, each with its line. */
  readonly faults: readonly string[]
}

/** What one call can change. */
export const MAX_UPDATES = 500

/** The columns that can be given, with the id. */
export const columns = UserUpdateSchema.fields
  .filter(({ fieldKind }) => fieldKind === 'scalar' || fieldKind === 'enum')
  .map(({ jsonName }) => jsonName)

/**
 * Reads updates of people: a header with `id` and fields of a user, a line for each person. An empty cell leaves the field
 * as it is; `""` as its text, written `""""""`, clears it.
 */
export function readUpdates(text: string): CsvUpdates {
  const { data, errors, meta } = parse<Record<string, string>>(text.trim(), { header: true, skipEmptyLines: true })
  const faults = errors.map(({ message, row }) => `line ${(row ?? 0) + 2}: ${message}`)
  const unknown = (meta.fields ?? []).filter((name) => !columns.includes(name))
  if (unknown.length > 0)
    faults.push(`line 1: no field is called ${unknown.join(', ')}; there are ${columns.join(', ')}`)
  if (!(meta.fields ?? []).includes('id')) faults.push('line 1: a column called id is needed')
  if (data.length > MAX_UPDATES) faults.push(`${data.length} lines: a file has at most ${MAX_UPDATES}`)
  if (faults.length > 0) return { updates: [], faults }
  const updates = data.flatMap((row, index) => {
    const given = Object.entries(row).filter(([, value]) => value !== '')
    const json: JsonObject = Object.fromEntries(given.map(([name, value]) => [name, value === '""' ? '' : value]))
    try {
      return [fromJson(UserUpdateSchema, json)]
    } catch (error) {
      faults.push(`line ${index + 2}: ${error instanceof Error ? error.message : String(error)}`)
      return []
    }
  })
  return { updates, faults }
}
