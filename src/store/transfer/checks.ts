import { Prisma } from '../../../gen/prisma/client.js'
import { equal, type StagedTable } from './staged-table.js'
import type { Expressions, TransferOwner } from './transfer-table.js'
import { storedValues } from './upsert.js'

/** The columns of the rows that checks return. */
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

/** Finds records whose owner is ambiguous, because several organizations have the id. */
export function ambiguousOwnerCheck(staged: Prisma.Sql, { field, noun }: TransferOwner): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field,
  format('several organizations have a${Prisma.raw(/^[aeiou]/.test(noun) ? 'n' : '')} ${Prisma.raw(noun)} %s', s.owner_id) AS fault
FROM ${staged} s GROUP BY s.line, s.owner_id HAVING count(*) > 1`
}

/**
 * Finds values that another row will have as well: an existing one that the file does not change, or one of the file,
 * of which the later line is at fault.
 */
export function takenCheck(kind: StagedTable, field: string, columns: readonly string[]): Prisma.Sql {
  const { table, staged, identity, stem, values = {} } = kind
  const [noun, id] = [stem.replaceAll('_', ' '), identity.at(-1)].map((name) => Prisma.raw(String(name)))
  const own: Expressions = { ...storedValues('s', [...identity, ...columns]), ...values }
  const wanted = [...identity, ...columns].map((column) => Prisma.sql`${own[column]} AS ${Prisma.raw(column)}`)
  const fault = Prisma.sql`
SELECT w.line, '${Prisma.raw(field)}' AS field, format('${noun} %s already has it', other.${id}) AS fault FROM wanted w`
  const isOther = equal(['organization_id', ...columns], 'other', 'w')
  return Prisma.sql`
WITH wanted AS (
  SELECT s.line, ${Prisma.join(wanted)} FROM ${staged} s LEFT JOIN ${table} t ON ${equal(identity, 't', 's')}
)
${fault} JOIN wanted other ON ${isOther} AND other.line < w.line
UNION ALL
${fault} JOIN ${table} other ON ${isOther} LEFT JOIN ${staged} s ON ${equal(identity, 's', 'other')} WHERE s.line IS NULL`
}
