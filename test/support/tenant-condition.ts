/**
 * The tables that a statement touches without a condition of their own on the organization, once for each time. A table
 * that is read or changed needs `organization_id` to be equal to a parameter, the same in the whole statement, under the
 * name that the table has there; an insertion has to name the column. That another table has the same organization is not
 * enough: of tables that are distributed by organization, it would not tell where the rows are.
 */
export function unscopedTables(text: string, tenantTables: readonly string[]): string[] {
  const counts = conditionsByName(text)
  return referencesOf(text).flatMap(({ table, name, inserted }) => {
    if (!tenantTables.includes(table)) return []
    if (inserted !== undefined) return /\borganization_id\b/.test(inserted) ? [] : [table]
    // A table without another name may be named in its condition or not.
    const found = [name, ...(name === table ? [''] : [])].find((each) => (counts.get(each) ?? 0) > 0)
    if (found === undefined) return [table]
    counts.set(found, (counts.get(found) ?? 0) - 1)
    return []
  })
}

/**
 * How often the organization is compared with the parameter under each name; the empty name is a column that stands alone.
 * Where there are several parameters, the first counts.
 */
function conditionsByName(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const conditions = [...text.matchAll(/(?:\b(\w+)\.|(?<![.\w]))organization_id = (\$\d+)\b/g)]
  const parameter = conditions[0]?.[2]
  for (const [, name = '', compared] of conditions) {
    if (compared === parameter) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

interface Reference {
  readonly table: string
  /** What the statement calls it. */
  readonly name: string
  /** The columns of an insertion. */
  readonly inserted: string | undefined
}

const INSERTION = /\bINSERT INTO (\w+)(?: AS \w+)?\s*\(([^)]*)\)/g
/** Words that may follow a table that has no other name. */
const NEXT =
  'from|where|set|on|using|order|group|limit|values|join|left|right|inner|cross|for|union|offset|returning|with'
const REFERENCE = new RegExp(
  `(?:\\b(?:FROM|JOIN|UPDATE|USING)|,)\\s+(\\w+)(?:\\s+(?:AS\\s+)?(?!(?:${NEXT})\\b)(\\w+))?`,
  'gi',
)

function referencesOf(text: string): Reference[] {
  return [
    ...[...text.matchAll(INSERTION)].map(([, table = '', inserted]) => ({ table, name: table, inserted })),
    ...[...text.matchAll(REFERENCE)].map(([, table = '', name = table]) => ({ table, name, inserted: undefined })),
  ]
}
