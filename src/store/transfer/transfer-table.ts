import { Prisma } from '../../../gen/prisma/client.js'

/**
 * How records of one kind go into their tables and out of them. An import has them in a staging table first, which SQL
 * sees as `s`, with the line of each, and with the row that stands as `t`.
 */
export interface TransferTable {
  readonly table: Prisma.Sql
  readonly staged: Prisma.Sql
  /** The columns of the primary key, each with its column of the staging table. */
  readonly key: Readonly<Record<string, string>>
  /** Columns of the staging table with their types; each comes from the property of its name in camel case. */
  readonly columns: Readonly<Record<string, string>>
  /** What the record belongs to. Absent for organizations. */
  readonly owner?: TransferOwner
  /** Columns besides the key, each with its expression. Rows that stand keep what is not named. */
  readonly values: Expressions
  /** Queries for what must not be, by name: each gives the line, the field and the fault. They run before anything is written. */
  readonly checks: Expressions
  /** Takes locks that have to come before those of rows. */
  readonly prepare?: Prisma.Sql
  /** Writes what the records need to stand on. */
  readonly before?: readonly Prisma.Sql[]
  /** Writes what belongs to the records, in order. */
  readonly children: readonly Prisma.Sql[]
  /** Checks, in the form of `checks`, that run when all kinds have been written. */
  readonly finalChecks: Expressions
  /** Gives every record as the column `record`, in the order of creation. */
  readonly select: Prisma.Sql
}

/** Expressions by name, of columns above all. */
export type Expressions = Readonly<Record<string, Prisma.Sql>>

/** The owner of records: SQL sees it as `owner`. */
export interface TransferOwner {
  readonly table: 'organizations' | 'teams' | 'access_policies' | 'app_instances' | 'entity_types'
  /** The column that names the owner, and the field that it comes from. */
  readonly column: string
  readonly field: string
  /** In words. */
  readonly noun: string
  /** Columns of the staging table that the owner gives. */
  readonly gives: Expressions
}

/** Records that name an organization. */
export const ownedByOrganization: TransferOwner = {
  ...{ table: 'organizations', column: 'owner_id', field: 'organizationId', noun: 'organization' },
  gives: { organization_id: Prisma.sql`owner.id` },
}

/** Records that name a team. */
export const ownedByTeam: TransferOwner = {
  ...{ table: 'teams', column: 'team_id', field: 'teamId', noun: 'team' },
  gives: { organization_id: Prisma.sql`owner.organization_id` },
}

/** The key of tables whose rows have an id. */
export const idKey = { id: 'id' }

/** Columns of the same names in the staging table. */
export function sameColumns(...names: readonly string[]): Expressions {
  return Object.fromEntries(names.map((name) => [name, Prisma.sql`s.${Prisma.raw(name)}`]))
}
