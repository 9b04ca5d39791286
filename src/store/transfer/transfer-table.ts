import { Prisma } from '../../../gen/prisma/client.js'
import type { Places } from '../../db/statement.js'
import type { Lock } from '../lock.js'
import type { Resource } from '../resource/resource.js'
import type { RecordKind } from './record-kind.js'

/** Columns by name, each with its type as SQL writes it. */
export type ColumnTypes = Readonly<Record<string, string>>

/** What records refer to, in words, and the column that holds its id. */
export const referenceTargets = {
  teams: { noun: 'team', id: 'id' },
  groups: { noun: 'group', id: 'id' },
  memberships: { noun: 'user', id: 'user_id' },
  access_policies: { noun: 'access policy', id: 'id' },
  app_instances: { noun: 'app instance', id: 'id' },
  entity_types: { noun: 'entity type', id: 'id' },
  entity_ingestion_configs: { noun: 'ingestion config', id: 'id' },
}

/** A table that records refer to. */
export type ReferenceTarget = keyof typeof referenceTargets

export function isReferenceTarget(table: string | undefined): table is ReferenceTarget {
  return table !== undefined && Object.hasOwn(referenceTargets, table)
}

/**
 * How records of one kind are written to their tables, beyond their declaration. An import first puts them into a
 * staging table, with their lines, which SQL sees as `s`; the existing row is `t`.
 */
export interface TransferTable {
  readonly resource: Resource
  /** Absent for organizations. */
  readonly owner?: TransferOwner
  /**
   * What fields must name in the record's organization, by their paths, if the schema of the database does not say so.
   */
  readonly references?: Readonly<Record<string, ReferenceTarget>>
  /** By field, the columns that no two rows of an organization may have in common, except for nulls. */
  readonly unique?: Readonly<Record<string, readonly string[]>>
  /** Columns of the staging table that are not in the row; each comes from the property of its name in camel case. */
  readonly extras?: ColumnTypes
  /** Those of them that are columns of the row, by the field that gives them. */
  readonly elsewhere?: Readonly<Record<string, readonly string[]>>
  /** Columns that differ from the staged value. Existing rows keep the columns that are not named. */
  readonly values?: Expressions
  /** The same for the tables of lists, by the name of the list. */
  readonly listValues?: Readonly<Record<string, Expressions>>
  /** Joined to the written rows of lists, by the name of the list. */
  readonly listJoins?: Expressions
  /**
   * Queries for faults, by name: each returns the line, the field and the fault. They run before anything is written.
   */
  readonly checks?: Expressions
  /** Queries, in the form of `checks`, for all that is to be done only by force; they run under the locks of rows. */
  readonly guards?: Expressions
  /** Stages existing rows that follow records of an earlier kind, even if the file has none of this kind. */
  readonly followers?: { readonly of: RecordKind; readonly text: Prisma.Sql }
  /** What is locked of each organization before rows are. */
  readonly lockOf?: (organizationId: string) => Lock
  /** Finds, by id, rows that must give up a value before another one can have it, and takes the value from them. */
  readonly release?: { readonly find: Prisma.Sql; readonly write: (ids: Places<Ids>) => Prisma.Sql }
  /** Writes what the records depend on. */
  readonly before?: Prisma.Sql
  /** Writes what belongs to the records besides their lists, in order. */
  readonly after?: readonly Prisma.Sql[]
  /** Temporary tables for the final checks, by name. */
  readonly finalTables?: Expressions
  /** Checks, in the form of `checks`, that run after all kinds have been written. */
  readonly finalChecks?: Expressions
  /** Joined to the table in an export. */
  readonly join?: Prisma.Sql
}

/** Rows given by their ids. */
export interface Ids {
  readonly ids: readonly string[]
}

/** Expressions by name, mostly of columns. */
export type Expressions = Readonly<Record<string, Prisma.Sql>>

/** The owner of records: SQL sees it as `owner`. */
export interface TransferOwner {
  readonly table: 'organizations' | 'teams' | 'access_policies' | 'app_instances' | 'entity_types'
  /** The field that names the owner. */
  readonly field: string
  /** In words. */
  readonly noun: string
  /** Columns of the staging table that the owner provides. */
  readonly gives: Expressions
}

/** An owner that is not an organization: several organizations may have one of its id. */
export function isOwnerInOrganization(owner: TransferOwner | undefined): owner is TransferOwner {
  return owner !== undefined && owner.table !== 'organizations'
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

/** Records that name something of an organization, which may provide more than the organization. */
export function ownedBy(
  table: TransferOwner['table'],
  field: string,
  noun: string,
  more: Expressions = {},
): TransferOwner {
  return { table, field, noun, gives: { organization_id: Prisma.sql`owner.organization_id`, ...more } }
}
