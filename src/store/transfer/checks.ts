import { Prisma } from '../../../gen/prisma/client.js'
import type { TransferOwner, TransferTable } from './transfer-table.js'

/** The columns of the rows that checks give. */
export interface Fault {
  readonly line: number
  readonly field: string
  readonly fault: string
}

/** A reference to check. */
export interface ReferenceOptions {
  readonly staged: Prisma.Sql
  /** The expression that holds the id, or null. */
  readonly column: Prisma.Sql
  /** A literal or an expression that gives the field's name. */
  readonly field: Prisma.Sql
  /** In words. */
  readonly noun: string
  /** Where the id has to be found, in the same organization. */
  readonly table: 'teams' | 'groups' | 'access_policies' | 'app_instances' | 'entity_types' | 'entity_ingestion_configs'
  /** Joined to the staging table, where the id stands in a list of the record. */
  readonly from?: Prisma.Sql
}

/** Finds references to what is not in the record's organization. */
export function referenceCheck({ table, noun, ...reference }: ReferenceOptions): Prisma.Sql {
  return missingCheck(reference, Prisma.raw(table), Prisma.sql`id`, noun)
}

/** Finds references to people who are not members of the record's organization. */
export function memberCheck(reference: Omit<ReferenceOptions, 'noun' | 'table'>): Prisma.Sql {
  return missingCheck(reference, Prisma.sql`memberships`, Prisma.sql`user_id`, 'user')
}

function missingCheck(
  { staged, column, field, from = Prisma.empty }: Omit<ReferenceOptions, 'noun' | 'table'>,
  table: Prisma.Sql,
  id: Prisma.Sql,
  noun: string,
): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, ${field} AS field, format('there is no ${Prisma.raw(noun)} %s in the organization', ${column}) AS fault
FROM ${staged} s ${from}
LEFT JOIN ${table} target ON target.organization_id = s.organization_id AND target.${id} = ${column}
WHERE ${column} IS NOT NULL AND target.${id} IS NULL`
}

/** Finds records whose owner does not exist. */
export function ownerCheck(staged: Prisma.Sql, owner: TransferOwner): Prisma.Sql {
  const [field, noun, column] = [Prisma.raw(owner.field), Prisma.raw(owner.noun), Prisma.raw(owner.column)]
  return Prisma.sql`
SELECT s.line, '${field}' AS field, format('there is no ${noun} %s', s.${column}) AS fault
FROM ${staged} s WHERE s.organization_id IS NULL`
}

/** Finds ids that another organization has: what stands never changes its organization. */
export function organizationCheck({ table, staged }: Pick<TransferTable, 'table' | 'staged'>): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, 'id' AS field, format('%s belongs to another organization', s.id) AS fault
FROM ${staged} s JOIN ${table} t ON t.id = s.id WHERE t.organization_id <> s.organization_id`
}

/** A uniqueness to check after the rows have been written. */
export interface TakenOptions extends Pick<TransferTable, 'table' | 'staged' | 'key'> {
  /** The columns that must not be equal in two rows of an organization; nulls are never equal. */
  readonly columns: readonly string[]
  readonly field: string
  /** What the other row is, in words, and the column that names it. */
  readonly noun: string
  readonly name: string
}

/** Finds values that another row has as well; of two rows of the file, the later line is at fault. */
export function takenCheck({ table, staged, key, columns, field, noun, name }: TakenOptions): Prisma.Sql {
  const places = Object.entries({ organization_id: 'organization_id', ...key }).map(
    ([column, ofStaged]) => [Prisma.raw(column), Prisma.raw(ofStaged)] as const,
  )
  const own = places.map(([column, ofStaged]) => Prisma.sql`t.${column} = s.${ofStaged}`)
  const same = ['organization_id', ...columns]
    .map(Prisma.raw)
    .map((column) => Prisma.sql`other.${column} = t.${column}`)
  const another = places.map(([column]) => Prisma.sql`other.${column} = t.${column}`)
  const ofFile = places.map(([column, ofStaged]) => Prisma.sql`o.${ofStaged} = other.${column}`)
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field,
       format('${Prisma.raw(noun)} %s has it already', other.${Prisma.raw(name)}) AS fault
FROM ${staged} s
JOIN ${table} t ON ${Prisma.join(own, ' AND ')}
JOIN ${table} other ON ${Prisma.join(same, ' AND ')} AND NOT (${Prisma.join(another, ' AND ')})
LEFT JOIN ${staged} o ON ${Prisma.join(ofFile, ' AND ')}
WHERE o.line IS NULL OR o.line < s.line`
}
