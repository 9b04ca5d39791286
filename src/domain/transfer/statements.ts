/** What an upsert needs to know. Expressions see the staged row as `s` and the row that stands as `t`. */
export interface UpsertOptions {
  readonly table: string
  readonly staged: string
  /** The columns of the primary key, each with its expression. */
  readonly key: Readonly<Record<string, string>>
  /** The other columns, each with its expression. */
  readonly values: Readonly<Record<string, string>>
}

/**
 * Writes every staged row, new ones in the order of their first lines, and answers `created`, how many are new. Rows
 * that stand keep what is not named, their place in the order of creation above all.
 */
export function upsertStatement({ table, staged, key, values }: UpsertOptions): string {
  const columns = { ...key, ...values }
  const updates = Object.keys(values).map((column) => `${column} = EXCLUDED.${column}`)
  return `
WITH written AS (
  INSERT INTO ${table} (${Object.keys(columns).join(', ')})
  SELECT ${Object.values(columns).join(', ')}
  FROM ${staged} s LEFT JOIN ${table} t ON ${keyCondition(key)}
  ORDER BY s.first_line
  ON CONFLICT (${Object.keys(key).join(', ')}) DO UPDATE SET ${updates.join(', ')}
  RETURNING xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new)::integer AS created FROM written`
}

/** Locks the rows that stand in the order of their key. */
export function lockStatement({ table, staged, key }: Pick<UpsertOptions, 'table' | 'staged' | 'key'>): string {
  const order = Object.keys(key).map((column) => `t.${column}`)
  return `SELECT FROM ${table} t JOIN ${staged} s ON ${keyCondition(key)} ORDER BY ${order.join(', ')} FOR NO KEY UPDATE OF t`
}

function keyCondition(key: Readonly<Record<string, string>>): string {
  return Object.entries(key)
    .map(([column, expression]) => `t.${column} = ${expression}`)
    .join(' AND ')
}

/** Columns of the same names in the staging table. */
export function sameColumns(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `s.${name}`]))
}

/** A date as the API writes it. */
export function dateJson(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN json_build_object('year', extract(year FROM ${column})::integer,
    'month', extract(month FROM ${column})::integer, 'day', extract(day FROM ${column})::integer) END`
}

/** A reference to check. */
export interface ReferenceOptions {
  readonly staged: string
  /** The expression that holds the id, or null. */
  readonly column: string
  /** A literal or an expression that gives the field's name. */
  readonly field: string
  /** In words. */
  readonly noun: string
  /** Where the id has to be found, in the same organization. */
  readonly table: 'teams' | 'groups' | 'access_policies' | 'app_instances' | 'entity_types' | 'entity_ingestion_configs'
  /** Joined to the staging table, where the id stands in a list of the record. */
  readonly from?: string
}

/** Finds references to what is not in the record's organization. */
export function referenceCheck({ staged, column, field, noun, table, from = '' }: ReferenceOptions): string {
  return `
SELECT s.line, ${field} AS field, format('there is no ${noun} %s in the organization', ${column}) AS fault
FROM ${staged} s ${from}
LEFT JOIN ${table} target ON target.organization_id = s.organization_id AND target.id = ${column}
WHERE ${column} IS NOT NULL AND target.id IS NULL`
}

/** Finds references to people who are not members of the record's organization. */
export function memberCheck(options: Pick<ReferenceOptions, 'staged' | 'column' | 'field' | 'from'>): string {
  const { staged, column, field, from = '' } = options
  return `
SELECT s.line, ${field} AS field, format('there is no user %s in the organization', ${column}) AS fault
FROM ${staged} s ${from}
LEFT JOIN memberships target ON target.organization_id = s.organization_id AND target.user_id = ${column}
WHERE ${column} IS NOT NULL AND target.user_id IS NULL`
}

/** Finds ids that another organization has: what stands never changes its organization. */
export function organizationCheck(table: string, staged: string): string {
  return `
SELECT s.line, 'id' AS field, format('%s belongs to another organization', s.id) AS fault
FROM ${staged} s JOIN ${table} t ON t.id = s.id WHERE t.organization_id <> s.organization_id`
}

/** A uniqueness to check after the rows have been written. */
export interface TakenOptions {
  readonly table: string
  readonly staged: string
  /** Columns that tell rows apart, each with its expression over the staged row. */
  readonly key: Readonly<Record<string, string>>
  /** The columns that must not be equal in two rows; nulls are never equal. */
  readonly columns: readonly string[]
  readonly field: string
  /** What the other row is, in words, and the column that names it. */
  readonly noun: string
  readonly name: string
}

/** Finds values that another row has as well; of two rows of the file, the later line is at fault. */
export function takenCheck({ table, staged, key, columns, field, noun, name }: TakenOptions): string {
  const same = columns.map((column) => `other.${column} = t.${column}`)
  const another = Object.keys(key).map((column) => `other.${column} = t.${column}`)
  const staging = Object.entries(key).map(
    ([column, expression]) => `other.${column} = ${expression.replace('s.', 'o.')}`,
  )
  return `
SELECT s.line, '${field}' AS field, format('${noun} %s has it already', other.${name}) AS fault
FROM ${staged} s
JOIN ${table} t ON ${keyCondition(key)}
JOIN ${table} other ON ${same.join(' AND ')} AND NOT (${another.join(' AND ')})
LEFT JOIN ${staged} o ON ${staging.join(' AND ')}
WHERE o.line IS NULL OR o.line < s.line`
}
