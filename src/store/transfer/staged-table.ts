import { Prisma } from '../../../gen/prisma/client.js'
import type { RecordKind } from './record-kind.js'
import type { TransferTable } from './transfer-table.js'

/** How an import stages the records of one kind. */
export interface StagedTable extends TransferTable {
  readonly kind: RecordKind
  /** The kind in snake case, as names of the database are. */
  readonly stem: string
  readonly table: Prisma.Sql
  readonly staged: Prisma.Sql
  /** The columns that identify a row, with that of the organization first if there is one. */
  readonly identity: readonly string[]
}

/** Names the tables of a kind. */
export function stagedTable(kind: RecordKind, definition: TransferTable): StagedTable {
  const stem = kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const { name, key } = definition.resource.table
  const organization = definition.owner === undefined ? [] : ['organization_id']
  return {
    ...definition,
    kind,
    stem,
    table: Prisma.raw(name),
    staged: Prisma.raw(`staged_${stem}`),
    identity: [...new Set([...organization, ...key])],
  }
}

/** A condition that columns are equal under two aliases. */
export function equal(columns: readonly string[], left: string, right: string): Prisma.Sql {
  return Prisma.raw(columns.map((column) => `${left}.${column} = ${right}.${column}`).join(' AND '))
}

/** Columns as a list. */
export function listed(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.join(', '))
}
