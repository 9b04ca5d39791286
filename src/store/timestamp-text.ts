import { Prisma } from '../../gen/prisma/client.js'

/** A time in JSON, as the API writes it: UTC with milliseconds, `2026-01-31T09:05:00.000Z`. */
export function timestampText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A row whose times are printed by the database: in lists, to read them into `Date` costs more than all the rest. */
export type WithPrintedTimes<Row, Column extends keyof Row> = Omit<Row, Column> & {
  readonly [Name in Column]: null extends Row[Name] ? string | null : string
}
