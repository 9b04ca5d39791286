/** SQL for a time as the API writes it: UTC with milliseconds, `2026-01-31T09:05:00.000Z` (decisions, section 1). */
export function timestampColumn(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
