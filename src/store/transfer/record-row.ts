import type { Message } from '@bufbuild/protobuf'
import { camelCase } from '../camel-case.js'
import { columnOf } from './checks.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { createRowWriter, type Row } from './row-writer.js'
import { transferTables } from './tables.js'
import { isOwnerInOrganization } from './transfer-table.js'
import { givenColumns } from './upsert.js'

/** A record as a row of its table, and the key that identifies it within its kind and its owner. */
export interface RecordRow {
  readonly key: string
  readonly values: Row
}

const writers = new Map(
  recordKinds.map((kind) => {
    const { resource, owner } = transferTables[kind]
    const ofOwner = owner === undefined ? [] : [columnOf(resource, owner.field)]
    const key = [...ofOwner, String(resource.table.key.at(-1))]
    return [kind, { write: createRowWriter(resource), key: key.map(camelCase) }]
  }),
)

/** The columns of the staging table of the kind that fields give, named by their local names. */
export function columnsGiven(kind: RecordKind, fields: ReadonlySet<string>): string[] {
  return givenColumns(transferTables[kind], fields)
}

/** Whether records of the kind name an owner in an organization, but not the organization. */
export function namesOnlyOwner(kind: RecordKind): boolean {
  return isOwnerInOrganization(transferTables[kind].owner)
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
