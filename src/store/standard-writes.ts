import { isDeepStrictEqual } from 'node:util'
import { Prisma } from '../../gen/prisma/client.js'
import type { Tables } from '../db/tables.js'
import { camelCase, type PartsPlace, type Resource, type Table } from './resource/resource.js'
import { createFieldRows, type Row } from './resource/row.js'

export interface StandardKey {
  readonly organizationId: string
  readonly id: string
}

export interface Referrers {
  /** As programs read it, such as `fieldMappings`. */
  readonly name: string
  /** As people read it. Default: the words of the name. */
  readonly words?: string
}

interface Model {
  findUnique(query: object): Promise<Row | null>
  findMany(query: object): Promise<readonly Row[]>
  create(query: object): Promise<unknown>
  createMany(query: object): Promise<unknown>
  update(query: object): Promise<unknown>
  deleteMany(query: object): Promise<{ readonly count: number }>
}

/** A list of an object whose items are rows of another table. */
interface Parts extends PartsPlace {
  readonly name: string
  readonly table: Table
}

/** Rows of other tables that Prisma writes together with the row. */
export interface Relation<Rows> {
  readonly read: (tables: Tables, key: StandardKey) => Promise<Rows>
  /** The rows as Prisma creates them, or puts them in place of others. */
  readonly write: (rows: Rows, isNew: boolean) => object
}

/**
 * Makes the writes of the standard methods (AIP-133 to 135) of a resource, whose key is `organization_id` and `id`,
 * through Prisma's models.
 */
export function createStandardWrites<Of extends StandardKey>(
  resource: Resource<Of>,
  relations: { readonly [Name in keyof Of]?: Relation<Of[Name]> } = {},
) {
  const { table } = resource
  const rows = createFieldRows(resource)
  const lists = resource.fields.flatMap(({ field, source }): Parts[] =>
    source.kind === 'parts' ? [{ ...source, name: field.localName, table: source.resource.table }] : [],
  )
  const related: [string, Relation<unknown>][] = Object.entries({ ...relations })
  const dataOf = (values: Row, isNew: boolean) => {
    const nested = related.flatMap(([name, { write }]) => (name in values ? [[name, write(values[name], isNew)]] : []))
    return { ...columnsIn(table, values), ...Object.fromEntries(nested) }
  }
  const select = { organizationId: true }
  return {
    ...rows,
    /** The lists whose items are rows of their own, each with an id, by the names of their fields. */
    lists: lists.map(({ name }) => name),
    /** An object with its lists; undefined if there is none. */
    read: async (tables: Tables, key: StandardKey): Promise<Of | undefined> => {
      const row = await modelOf(tables, table).findUnique({ where: { organizationId_id: keyOf(key) } })
      if (row === null) return undefined
      const object: object = { ...row }
      for (const list of lists) Reflect.set(object, list.name, await readParts(tables, key, list))
      for (const [name, { read }] of related) Reflect.set(object, name, await read(tables, key))
      return object as Of
    },
    create: async (tables: Tables, key: StandardKey, values: Partial<Of>, now: Date): Promise<void> => {
      const given: Row = { ...timesIn(table, now), ...values, ...key }
      await modelOf(tables, table).create({ data: dataOf(given, true), select })
      for (const list of lists) await replaceParts(tables, key, list, [], rowsIn(given[list.name]), now)
    },
    /**
     * Changes the given values of an object, and replaces the given lists; items whose id stays keep their time of
     * creation. Returns the names of the fields that changed; nothing is written if the object has the values already.
     */
    update: async (tables: Tables, before: StandardKey & Partial<Of>, values: Partial<Of>, now: Date) => {
      const isChange = ([name, value]: [string, unknown]) =>
        value !== undefined && !isDeepStrictEqual(Reflect.get(before, name), value)
      if (!Object.entries(values).some(isChange)) return []
      const written: Record<string, unknown> = { ...values, ...('updated_at' in table.columns && { updatedAt: now }) }
      const data = { ...dataOf(written, false), version: { increment: 1 } }
      await modelOf(tables, table).update({ where: { organizationId_id: keyOf(before) }, data, select })
      for (const list of lists.filter(({ name }) => name in values)) {
        const [old, given] = [Reflect.get(before, list.name), written[list.name]].map(rowsIn)
        written[list.name] = await replaceParts(tables, before, list, old ?? [], given ?? [], now)
      }
      return rows.changedFields(before, written as Partial<Of>)
    },
    delete: async (tables: Tables, key: StandardKey): Promise<void> => {
      await modelOf(tables, table).deleteMany({ where: keyOf(key) })
    },
    /** Finds references to an object that keep it from being deleted. */
    referrers: async (tables: Tables, key: StandardKey, _now: Date): Promise<readonly Referrers[]> => {
      if (table.referrers.length === 0) return []
      const some = { take: 1, select }
      const selected = Object.fromEntries(table.referrers.map((name) => [name, some]))
      const where = { organizationId_id: keyOf(key) }
      const found = await modelOf(tables, table).findUnique({ where, select: selected })
      const refers = (rows: unknown) => !Array.isArray(rows) || rows.length > 0
      return table.referrers.filter((name) => refers(found?.[name])).map((name) => ({ name }))
    },
  }
}

/** The model of a table: what goes through it follows the table's own description. */
export function modelOf({ models }: Tables, { model }: Table): Model {
  return Reflect.get(models, model)
}

const rowsIn = (list: unknown): readonly Row[] => (Array.isArray(list) ? list : [])

const keyOf = ({ organizationId, id }: StandardKey): StandardKey => ({ organizationId, id })

/** When a row is created and changed, if its table has both. */
function timesIn({ columns }: Table, now: Date) {
  return 'updated_at' in columns ? { createdAt: now, updatedAt: now } : undefined
}

/** Picks the values that have columns. For Prisma, null in a JSON column is `DbNull`. */
function columnsIn({ columns }: Table, values: Row): Row {
  const given = Object.entries(columns).flatMap(([column, { type }]) => {
    const name = camelCase(column)
    if (!(name in values)) return []
    return [[name, type.startsWith('json') ? (values[name] ?? Prisma.DbNull) : values[name]]]
  })
  return Object.fromEntries(given)
}

function readParts(tables: Tables, { organizationId, id }: StandardKey, { table, parent }: Parts) {
  const where = { organizationId, [camelCase(parent)]: id }
  return modelOf(tables, table).findMany({ where, orderBy: { position: 'asc' } })
}

/** Puts rows in place of the old ones, and returns them as they are then. */
async function replaceParts(
  tables: Tables,
  { organizationId, id }: StandardKey,
  { table, parent }: Parts,
  old: readonly Row[],
  given: readonly Row[],
  now: Date,
): Promise<readonly Row[]> {
  const where = { organizationId, [camelCase(parent)]: id }
  const createdAt = new Map(old.map((part) => [part['id'], part['createdAt']]))
  const rows = given.map((part, position) => {
    const times = timesIn(table, now)
    const kept = times && { createdAt: createdAt.get(part['id']) ?? times.createdAt }
    return { ...part, ...where, position, ...times, ...kept }
  })
  const model = modelOf(tables, table)
  if (old.length > 0) await model.deleteMany({ where })
  if (rows.length > 0) await model.createMany({ data: rows.map((row) => columnsIn(table, row)) })
  return rows
}
