/** The name of the property for a column: `teamId` for `team_id`. */
export function camelCase(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase())
}
