import type { Message } from '@bufbuild/protobuf'
import { camelCase } from '../camel-case.js'
import type { Table } from '../resource/resource.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { createRowWriter, type Row } from './row-writer.js'
import { transferTables } from './tables.js'

/** A record as a row of its table, and the key that identifies it within its kind. */
export interface RecordRow {
  readonly key: string
  readonly values: Row
}

const writers = new Map(
  recordKinds.map((kind) => {
    const { resource } = transferTables[kind]
    return [kind, { write: createRowWriter(resource), key: keyOf(resource.table).map(camelCase) }]
  }),
)

/** The columns that identify a record: an id identifies it alone, whatever the organization. */
function keyOf({ key }: Table): readonly string[] {
  return key.at(-1) === 'id' ? ['id'] : key
}

/**
 * Writes a record as a row, with additional values that are in no field of it. Throws a ServiceError if two items of
 * one of its lists have the same key.
 */
export function recordRow(kind: RecordKind, record: Message, more: Row | undefined): RecordRow {
  const writer = writers.get(kind)
  if (writer === undefined) throw new Error(`there is no row of ${kind}`)
  const values = Object.assign(writer.write(record), more)
  return { key: writer.key.map((property) => values[property]).join('/'), values }
}
