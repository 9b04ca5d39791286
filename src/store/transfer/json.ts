import { Prisma } from '../../../gen/prisma/client.js'

/** A date as the API writes it. */
export function dateJson(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${column} IS NOT NULL THEN json_build_object('year', extract(year FROM ${column})::integer,
    'month', extract(month FROM ${column})::integer, 'day', extract(day FROM ${column})::integer) END`
}
