import { create } from '@bufbuild/protobuf'
import { Prisma } from '../../gen/prisma/client.js'
import type { Tables } from '../db/tables.js'
import { camelCase, type PartsPlace, type Resource, type Table } from './resource/resource.js'
import { type Row, rowOf } from './resource/row.js'

/** Which object. */
export interface StandardKey {
  readonly organizationId: string
  readonly id: string
}

/**
 * Values of an object by the properties of its model, and lists of parts by the names of their fields; what is kept
 * elsewhere, as Prisma writes relations.
 */
export type StandardValues = Readonly<Record<string, unknown>>

/** Objects of one kind that refer to another. */
export interface Referrers {
  /** As programs read it, such as `fieldMappings`. */
  readonly name: string
  /** As people read it. Default: the words of the name. */
  readonly words?: string
}

/** What models of all tables have in common. */
interface Model {
  findUnique(query: object): Promise<Readonly<Record<string, readonly unknown[]>> | null>
  findMany(query: object): Promise<readonly Row[]>
  create(query: object): Promise<unknown>
  createMany(query: object): Promise<unknown>
  update(query: object): Promise<unknown>
  delete(query: object): Promise<unknown>
  deleteMany(query: object): Promise<unknown>
}

/** A list of an object whose items are rows of another table. */
interface Parts extends PartsPlace {
  readonly name: string
  readonly table: Table
}

/**
 * Makes the writes of the standard methods (AIP-133 to 135) of a resource, whose key is `organization_id` and `id`:
 * through the models of its tables.
 */
export function createStandardWrites({ desc, table, fields }: Resource) {
  const hasTimes = 'updated_at' in table.columns
  const lists = fields.flatMap(({ field, source }): Parts[] =>
    source.kind === 'parts' ? [{ ...source, name: field.localName, table: source.resource.table }] : [],
  )
  const types = new Map(Object.entries(table.columns).map(([name, { type }]) => [camelCase(name), type]))
  const isElsewhere = (name: string) =>
    fields.some((each) => each.field.localName === name && each.source.kind === 'elsewhere')
  // Prisma takes an absent value as no change, and null as a value of JSON's.
  const stored = (name: string, value: unknown) =>
    types.get(name)?.startsWith('json') ? (value ?? Prisma.DbNull) : value
  const dataOf = (values: StandardValues) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        types.has(name) || isElsewhere(name) ? [[name, stored(name, value)]] : [],
      ),
    )
  const some = { take: 1, select: { organizationId: true } }
  const select = { organizationId: true }
  return {
    /** The lists whose items are rows of their own, each with an id, by the names of their fields. */
    lists: lists.map(({ name }) => name),
    /** The values of the named fields of a request. Throws `FIELD_INVALID` if two items of a list have the same key. */
    valuesOf: (request: object, names: readonly string[]): StandardValues => {
      const given = Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)))
      const named = fields.filter(({ field }) => names.includes(field.localName))
      return rowOf(named, create(desc, given))
    },
    create: async (tables: Tables, key: StandardKey, values: StandardValues, now: Date) => {
      const times = hasTimes ? { createdAt: now, updatedAt: now } : {}
      await modelOf(tables, table).create({ data: { ...times, ...dataOf(values), ...key }, select })
      for (const list of lists) await replaceParts(tables, key, list, values[list.name], now)
    },
    /** Changes the given values, and replaces the given lists; parts with an id that stays keep when they were created. */
    update: async (tables: Tables, key: StandardKey, values: StandardValues, now: Date) => {
      if (Object.keys(values).length === 0) return
      const data = { ...(hasTimes ? { updatedAt: now } : {}), ...dataOf(values) }
      await modelOf(tables, table).update({ where: { organizationId_id: key }, data, select })
      for (const list of lists) await replaceParts(tables, key, list, values[list.name], now)
    },
    delete: async (tables: Tables, key: StandardKey) => {
      await modelOf(tables, table).delete({ where: { organizationId_id: key }, select })
    },
    /** What refers to an object and keeps it from being deleted. */
    referrers: async (tables: Tables, key: StandardKey): Promise<readonly Referrers[]> => {
      if (table.referrers.length === 0) return []
      const selected = Object.fromEntries(table.referrers.map((name) => [name, some]))
      const found = await modelOf(tables, table).findUnique({ where: { organizationId_id: key }, select: selected })
      return table.referrers.filter((name) => found?.[name]?.length !== 0).map((name) => ({ name }))
    },
  }
}

/** The model of a table: what goes through it follows the table's own description. */
export function modelOf({ models }: Tables, { model }: Table): Model {
  return Reflect.get(models, model)
}

async function replaceParts(
  tables: Tables,
  { organizationId, id }: StandardKey,
  { table, parent }: Parts,
  rows: unknown,
  now: Date,
): Promise<void> {
  if (!Array.isArray(rows)) return
  const model = modelOf(tables, table)
  const where = { organizationId, [camelCase(parent)]: id }
  const hasTimes = 'updated_at' in table.columns
  const old = hasTimes ? await model.findMany({ where, select: { id: true, createdAt: true } }) : []
  const createdAt = new Map(old.map((part) => [part['id'], part['createdAt']]))
  await model.deleteMany({ where })
  const data = rows.map((part: Row, position) => {
    const times = hasTimes ? { createdAt: createdAt.get(part['id']) ?? now, updatedAt: now } : {}
    return { ...part, ...where, position, ...times }
  })
  await model.createMany({ data })
}
