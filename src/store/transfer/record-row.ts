import type { Message } from '@bufbuild/protobuf'
import { camelCase } from '../resource/resource.js'
import { createRowWriter, type Row } from '../resource/row-writer.js'
import { fieldColumns, isOwnerInOrganization, perKind, type RecordKind } from './kind.js'
import { kinds } from './kinds.js'

/** A record as a row of its table, and the key that identifies it within its kind and its owner. */
export interface RecordRow {
  readonly key: string
  readonly values: Row
}

const writers = perKind((kind) => {
  const { resource, owner } = kinds[kind]
  const ofOwner = owner === undefined ? [] : [owner.column]
  const key = [...ofOwner, String(resource.table.key.at(-1))].map(camelCase)
  return { key, write: createRowWriter(resource), columns: fieldColumns(kinds[kind]) }
})

/** The columns of the staging table of the kind that fields give, named by their local names. */
export function columnsGiven(kind: RecordKind, fields: readonly string[]): string[] {
  const { columns } = writers[kind]
  return fields.flatMap((field) => Object.keys(columns.get(field) ?? {}))
}

/** Whether records of the kind name an owner in an organization, but not the organization. */
export function namesOnlyOwner(kind: RecordKind): boolean {
  return isOwnerInOrganization(kinds[kind].owner)
}

/**
 * Writes a record as a row, with additional values that are in no field of it. Throws a ServiceError if two items of
 * one of its lists have the same key.
 */
export function recordRow(kind: RecordKind, record: Message, more: Row | undefined): RecordRow {
  const { key, write } = writers[kind]
  const values: Row = Object.assign(write(record), more)
  return { key: key.map((property) => values[property]).join('/'), values }
}
