import { Prisma } from '../../../gen/prisma/client.js'
import { equal, type StagedTable } from './staged-table.js'
import type { TransferOwner } from './transfer-table.js'

/** The columns of the rows that checks give. */
export interface Fault {
  readonly line: number
  readonly field: string
  readonly fault: string
}

/** Finds records whose owner does not exist. */
export function ownerCheck(staged: Prisma.Sql, { field, noun }: TransferOwner): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field, format('there is no ${Prisma.raw(noun)} %s', s.owner_id) AS fault
FROM ${staged} s WHERE s.organization_id IS NULL`
}

/** Finds ids that another organization has: what stands never changes its organization. */
export function organizationCheck({ table, staged }: StagedTable): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, 'id' AS field, format('%s belongs to another organization', s.id) AS fault
FROM ${staged} s JOIN ${table} t ON t.id = s.id WHERE t.organization_id <> s.organization_id`
}

/** Finds values that another row has as well; of two rows of the file, the later line is at fault. */
export function takenCheck(kind: StagedTable, field: string, columns: readonly string[]): Prisma.Sql {
  const { table, staged, identity, stem } = kind
  const [noun, id] = [stem.replaceAll('_', ' '), identity.at(-1)].map((name) => Prisma.raw(String(name)))
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field, format('${noun} %s already has it', other.${id}) AS fault
FROM ${staged} s
JOIN ${table} t ON ${equal(identity, 't', 's')}
JOIN ${table} other ON ${equal(['organization_id', ...columns], 'other', 't')} AND NOT (${equal(identity, 'other', 't')})
LEFT JOIN ${staged} o ON ${equal(identity, 'o', 'other')}
WHERE o.line IS NULL OR o.line < s.line`
}
