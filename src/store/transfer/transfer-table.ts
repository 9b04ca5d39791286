import { Prisma } from '../../../gen/prisma/client.js'
import type { Places } from '../../db/statement.js'
import type { Resource } from '../resource/resource.js'
import type { RecordKind } from './record-kind.js'
import type { ReferenceTarget } from './reference-target.js'
import type { ColumnTypes } from './staged-columns.js'

/**
 * How records of one kind go into their tables: what their declaration does not say. An import has them in a staging table
 * first, which SQL sees as `s`, with the line of each, and with the row that stands as `t`.
 */
export interface TransferTable {
  readonly resource: Resource
  /** Absent for organizations. */
  readonly owner?: TransferOwner
  /** What fields have to name in the organization of the record, by their paths, where the schema of the database does not say it. */
  readonly references?: Readonly<Record<string, ReferenceTarget>>
  /** By the field, the columns that no two rows of an organization have in common, nulls excepted. */
  readonly unique?: Readonly<Record<string, readonly string[]>>
  /** Columns of the staging table that are none of the row; each comes from the property of its name in camel case. */
  readonly extras?: ColumnTypes
  /** Columns that are more than the staged value. Rows that stand keep the columns that nothing names. */
  readonly values?: Expressions
  /** The same for the tables of lists, by the name of the list. */
  readonly listValues?: Readonly<Record<string, Expressions>>
  /** Joined to the rows of lists that are written, by the name of the list. */
  readonly listJoins?: Expressions
  /** Queries for what must not be, by name: each gives the line, the field and the fault. They run before anything is written. */
  readonly checks?: Expressions
  /** Stages rows that stand and that follow those of a kind before it, of which the file may have some and none of this one. */
  readonly followers?: { readonly of: RecordKind; readonly text: Prisma.Sql }
  /** Takes locks that have to come before those of rows. */
  readonly prepare?: Prisma.Sql
  /** Finds what has to give up a value before another one can have it, by its id, and takes the value from it. */
  readonly release?: { readonly find: Prisma.Sql; readonly write: (ids: Places<Ids>) => Prisma.Sql }
  /** Writes what the records need to stand on. */
  readonly before?: Prisma.Sql
  /** Writes what belongs to the records, in order, besides their lists. */
  readonly after?: readonly Prisma.Sql[]
  /** Temporary tables for the final checks, by name. */
  readonly finalTables?: Expressions
  /** Checks, in the form of `checks`, that run when all kinds have been written. */
  readonly finalChecks?: Expressions
  /** Joined to the table in an export. */
  readonly join?: Prisma.Sql
}

/** What is named by its id. */
export interface Ids {
  readonly ids: readonly string[]
}

/** Expressions by name, of columns above all. */
export type Expressions = Readonly<Record<string, Prisma.Sql>>

/** The owner of records: SQL sees it as `owner`. */
export interface TransferOwner {
  readonly table: 'organizations' | 'teams' | 'access_policies' | 'app_instances' | 'entity_types'
  /** The field that names the owner. */
  readonly field: string
  /** In words. */
  readonly noun: string
  /** Columns of the staging table that the owner gives. */
  readonly gives: Expressions
}

/** Records that name an organization. */
export const ownedByOrganization: TransferOwner = {
  table: 'organizations',
  field: 'organizationId',
  noun: 'organization',
  gives: { organization_id: Prisma.sql`owner.id` },
}

/** Records that name a team. */
export const ownedByTeam = ownedBy('teams', 'teamId', 'team')

/** Records that name something of an organization, which may give them more than that. */
export function ownedBy(
  table: TransferOwner['table'],
  field: string,
  noun: string,
  more: Expressions = {},
): TransferOwner {
  return { table, field, noun, gives: { organization_id: Prisma.sql`owner.organization_id`, ...more } }
}
