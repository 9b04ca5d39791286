import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Parameter, type Places, type Statement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import type { Resource } from './resource/resource.js'
import { itemsText } from './resource/text.js'
import { inTeams, type Scope } from './scope.js'

/** One object: its JSON, and the team that it belongs to. */
export interface StandardRow extends PrintedRow {
  readonly teamId: string
}

/** Which object. */
export interface StandardKey {
  readonly organizationId: string
  readonly id: string
}

/** Which objects to list: null means no filter, by the local names of the resource's fields. */
export interface StandardSelection extends Scope {
  readonly filters: Readonly<Record<string, string | null>>
  /** The ordinal after which the page begins. */
  readonly after: string
  readonly pageSize: number
}

/** A page: the JSON of its items with commas between them, and the ordinal of the last one if there are more. */
export interface StandardPageRow {
  readonly items: string
  readonly lastOrdinal: bigint | null
}

/** What a store gives to the standard methods (AIP-131 to 135) of a resource whose objects belong to teams. */
export interface StandardStore<Writes> {
  readonly find: (tables: Tables, key: StandardKey & Scope) => Promise<StandardRow | undefined>
  /** The same, locked until the end of the transaction: nothing begins to refer to it in the meantime. */
  readonly lock: (tables: Tables, key: StandardKey & Scope) => Promise<StandardRow | undefined>
  readonly write: Writes
  readonly statements: readonly Pick<Statement<never, object>, 'name' | 'columns' | 'text'>[]
}

/** The same with the pages of a list. */
export interface ListedStore<Writes> extends StandardStore<Writes> {
  readonly list: (tables: Tables, selection: StandardSelection) => Promise<StandardPageRow | undefined>
  /** How many objects the list has on all pages. */
  readonly count: (tables: Tables, selection: Omit<StandardSelection, 'after' | 'pageSize'>) => Promise<number>
}

/** How rows are created, through the model of the resource. */
export interface StandardCreation<Created> {
  readonly create: (tables: Tables, key: StandardKey, values: Created) => Promise<unknown>
}

/** How rows are changed. */
export interface StandardUpdate<Changes> {
  /** Changes what is not undefined. */
  readonly update: (tables: Tables, key: StandardKey, changes: Changes) => Promise<unknown>
}

/** How rows are deleted. */
export interface StandardDeletion {
  readonly delete: (tables: Tables, key: StandardKey) => Promise<unknown>
  /** What refers to the object and keeps it from being deleted: by name, some or none of each. Absent: nothing can. */
  readonly referrers?: (
    tables: Tables,
    key: StandardKey,
  ) => Promise<Readonly<Record<string, readonly unknown[]>> | null>
}

/** Some of the writes. */
type SomeWrites = Partial<StandardCreation<never> & StandardUpdate<never> & StandardDeletion>

/** Makes the store of a resource. Its table has the columns `organization_id`, `id` and `team_id`. */
export function createStandardStore<Writes extends SomeWrites>(
  resource: Resource,
  write: Writes,
): StandardStore<Writes> {
  const { table } = resource
  const hasParts = resource.fields.some(({ source }) => source.kind === 'parts')
  const { rows, column, team } = placesOf(resource)
  const found = ({ id, organizationId, teamIds }: Places<StandardKey & Scope>) => Prisma.sql`
SELECT ${team} AS "teamId", ${rowText(resource)} AS json
  FROM ${rows}
 WHERE ${column('id')} = ${id} AND ${column('organization_id')} = ${organizationId} AND ${inTeams(team, teamIds)}`
  const one = { teamId: 'text', json: 'text' } as const
  const find = createStatement<StandardKey & Scope, StandardRow>({
    name: `print_${table.name}`,
    columns: one,
    text: found,
  })
  const lock = createStatement<StandardKey & Scope, StandardRow>({
    name: `lock_${table.name}`,
    columns: one,
    text: (key) => Prisma.sql`${found(key)} FOR UPDATE`,
  })
  return {
    find: (tables, key) => first(tables, find, key),
    lock: async (tables, key) => {
      const locked = await first(tables, lock, key)
      // Whoever waited for the lock has seen the row's lists as they were before.
      return locked !== undefined && hasParts ? first(tables, find, key) : locked
    },
    write,
    statements: [find, lock],
  }
}

/**
 * Makes the store of a resource with a list in pages. Its table has the column `ordinal` as well; for each filter, a column
 * of the resource, it has an index that ends in the ordinal.
 */
export function createListedStore<Writes extends SomeWrites>(
  resource: Resource,
  filters: readonly string[],
  write: Writes,
): ListedStore<Writes> {
  const { rows, column, team } = placesOf(resource)
  const { alias, table } = resource
  const unlisted = createStandardStore(resource, write)
  const filterColumns = filters.map((name) => [name, columnOf(resource, name)] as const)
  const listed = ({ organizationId, teamIds }: Places<Scope>) => {
    const conditions = filterColumns.map(([name, filtered]) => {
      const place: Parameter = { parameter: name }
      return Prisma.sql` AND (${place}::text IS NULL OR ${column(filtered)} = ${place})`
    })
    const scope = Prisma.sql`${column('organization_id')} = ${organizationId} AND ${inTeams(team, teamIds)}`
    return Prisma.join([scope, ...conditions], '')
  }
  // Planned with the values of each call: a filter that is not given is no condition.
  const list = createStatement<Scope & Pick<StandardSelection, 'after' | 'pageSize'>, StandardPageRow>({
    name: `list_${table.name}`,
    columns: { items: 'text', lastOrdinal: 'int8' },
    planned: 'anew',
    text: (places) => {
      const { after, pageSize } = places
      return Prisma.sql`
SELECT ${itemsText(Prisma.sql`page.text`, Prisma.sql`page.place`, Prisma.sql`page.place <= ${pageSize}`)} AS items,
       CASE WHEN count(*) > ${pageSize} THEN max(page.ordinal) FILTER (WHERE page.place = ${pageSize}) END AS "lastOrdinal"
  FROM (
    SELECT ${rowText(resource)} AS text, ${column('ordinal')}, row_number() OVER (ORDER BY ${column('ordinal')}) AS place
      FROM (
        SELECT * FROM ${rows}
         WHERE ${listed(places)} AND ${column('ordinal')} > ${after}::bigint
         ORDER BY ${column('ordinal')}
         LIMIT ${pageSize} + 1
      ) ${Prisma.raw(alias)}
  ) page`
    },
  })
  const count = createStatement<Scope, { readonly count: number }>({
    name: `count_${table.name}`,
    columns: { count: 'int4' },
    planned: 'anew',
    text: (places) => Prisma.sql`SELECT count(*)::int AS count FROM ${rows} WHERE ${listed(places)}`,
  })
  return {
    ...unlisted,
    list: (tables, { filters: values, ...page }) => first(tables, list, { ...values, ...page }),
    count: async (tables, { filters: values, ...scope }) =>
      (await first(tables, count, { ...values, ...scope }))?.count ?? 0,
    statements: [...unlisted.statements, list, count],
  }
}

/** The rows of a resource in SQL, and their columns. */
function placesOf({ alias, table }: Resource) {
  const column = (name: string) => Prisma.raw(`${alias}.${name}`)
  return { rows: Prisma.raw(`${table.name} ${alias}`), column, team: column('team_id') }
}

async function first<Parameters, Row>(
  tables: Tables,
  statement: Statement<Parameters, Row>,
  values: Parameters,
): Promise<Row | undefined> {
  const [row] = await tables.run(statement, values)
  return row
}

function columnOf({ desc, fields }: Resource, name: string): string {
  const source = fields.find(({ field }) => field.localName === name)?.source
  if (source?.kind !== 'column') throw new Error(`${desc.typeName} has no column ${name}`)
  return source.name
}
