import { Prisma } from '../../../gen/prisma/client.js'
import type { Expressions, TransferTable } from './transfer-table.js'

/** Locks the rows that stand in the order of their key, so that writers of the API and imports do not deadlock. */
export function lockText({ table, staged, key, owner }: TransferTable): Prisma.Sql {
  const order = Object.keys(key).map((column) => Prisma.sql`t.${Prisma.raw(column)}`)
  return Prisma.sql`
SELECT FROM ${table} t JOIN ${staged} s ON ${standing(key, owner)} ORDER BY ${Prisma.join(order)} FOR NO KEY UPDATE OF t`
}

/**
 * Writes every staged row, new ones in the order of their first lines, and answers `created`, how many are new. Rows
 * that stand keep what is not named, their place in the order of creation above all.
 */
export function upsertText({ table, staged, key, owner, values }: TransferTable): Prisma.Sql {
  const columns = { ...sameKey(key), ...values }
  const names = (list: object) => Prisma.join(Object.keys(list).map(Prisma.raw))
  const updates = Object.keys(values)
    .map(Prisma.raw)
    .map((name) => Prisma.sql`${name} = EXCLUDED.${name}`)
  return Prisma.sql`
WITH written AS (
  INSERT INTO ${table} (${names(columns)})
  SELECT ${Prisma.join(Object.values(columns))}
  FROM ${staged} s LEFT JOIN ${table} t ON ${standing(key, owner)}
  ORDER BY s.first_line
  ON CONFLICT (${names(key)}) DO UPDATE SET ${Prisma.join(updates)}
  RETURNING xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new)::integer AS created FROM written`
}

function sameKey(key: TransferTable['key']): Expressions {
  return Object.fromEntries(
    Object.entries(key).map(([column, ofStaged]) => [column, Prisma.sql`s.${Prisma.raw(ofStaged)}`]),
  )
}

/** That `t` is the row which stands for the staged one. */
function standing(key: TransferTable['key'], owner: TransferTable['owner']): Prisma.Sql {
  const columns = sameKey({ ...(owner !== undefined && { organization_id: 'organization_id' }), ...key })
  const conditions = Object.entries(columns).map(([column, value]) => Prisma.sql`t.${Prisma.raw(column)} = ${value}`)
  return Prisma.join(conditions, ' AND ')
}
