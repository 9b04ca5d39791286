import { Prisma } from '../../../gen/prisma/client.js'
import { camelCase } from './camel-case.js'

/**
 * Joins the records of a list of the staged row, under a name, with the type of each column. Properties of the records
 * are in camel case; `place` counts them from 1.
 */
export function eachRecord(list: string, name: string, columns: Readonly<Record<string, string>>): Prisma.Sql {
  const properties = Object.entries(columns).map(([column, type]) => `"${camelCase(column)}" ${type}`)
  const names = [...Object.keys(columns), 'place']
  return Prisma.raw(`CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(s.${list}) AS (${properties.join(', ')}))
  WITH ORDINALITY AS ${name}(${names.join(', ')})`)
}
