import { Prisma } from '../../gen/prisma/client.js'

/** A time in JSON, as the API writes it: UTC with milliseconds, `2026-01-31T09:05:00.000Z`. */
export function timestampText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
