/** Rows grouped by their organization, each group in the given order. */
export function byOrganization<Row extends { readonly organizationId: string }>(
  rows: Iterable<Row>,
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.organizationId)
    if (group === undefined) groups.set(row.organizationId, [row])
    else group.push(row)
  }
  return groups
}
