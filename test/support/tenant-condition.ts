/**
 * The tables that a statement uses without a condition of their own on the organization, once for each use. A table
 * that is read or changed needs `organization_id` to equal a parameter, the same in the whole statement, under the
 * table's alias; an insertion must name the column. Equality with another table's column is not enough: if the tables
 * are distributed by organization, it would not say where the rows are. The organization itself is found by its `id`.
 */
export function unscopedTables(text: string, tenantTables: readonly string[]): string[] {
  const references = referencesOf(text)
  const organizations = references.filter(({ table }) => table === 'organizations')
  const counts = conditionsByName(
    organizations.reduce((all, { name }) => all.replaceAll(`${name}.id = `, `${name}.organization_id = `), text),
  )
  return references.flatMap(({ table, name, inserted }) => {
    if (!tenantTables.includes(table)) return []
    if (inserted !== undefined) return /\borganization_id\b/.test(inserted) ? [] : [table]
    // A table without an alias may or may not be named in its condition.
    const found = [name, ...(name === table ? [''] : [])].find((each) => (counts.get(each) ?? 0) > 0)
    if (found === undefined) return [table]
    counts.set(found, (counts.get(found) ?? 0) - 1)
    return []
  })
}

/**
 * How often the organization is compared with the parameter under each alias; the empty one is for an unqualified
 * column. If there are several parameters, the first counts.
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
  /** Its alias in the statement. */
  readonly name: string
  /** The columns of an insertion. */
  readonly inserted: string | undefined
}

const INSERTION = /\bINSERT INTO (\w+)(?: AS \w+)?\s*\(([^)]*)\)/g
/** Words that may follow a table without an alias. */
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
