import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { Prisma } from '../../../gen/prisma/client.js'
import { ofOrganization } from '../visibility.js'
import type { PartsPlace, Resource, ResourceField, Table } from './resource.js'
import { columnIn, listText, type Part, textOf } from './text.js'
import { computedParts, valueParts } from './value-parts.js'

// SQL that prints rows as the JSON of the API: text without spaces, escaped as `JSON.stringify` does, and joined by
// `||`, which costs half of PostgreSQL's JSON functions (docs/performance.md).

export interface PrintedRow {
  readonly json: string
}

/** An object with its version: another whenever the object is another, also as other representations show it. */
export interface PrintedObject extends PrintedRow {
  readonly version: string
}

/** The version of the row, in a statement of one organization, with what changes although nobody writes the row. */
export function versionText({ alias, fields }: Resource): Prisma.Sql {
  const others = fields.flatMap(({ source }) => (source.kind === 'computed' && source.isUnwritten ? [source.sql] : []))
  const values = [Prisma.raw(`${alias}.version`), ...others.map((sql) => Prisma.sql`(${sql})`)]
  return Prisma.sql`concat_ws(' ', ${Prisma.join(values)})`
}

/** The row as the JSON of the API, as text, in a statement of one organization. */
export function rowText(resource: Resource): Prisma.Sql {
  return textOf(objectParts(resource, false))
}

/** The row without computed fields, as text, in a statement of all organizations. */
export function storedText(resource: Resource): Prisma.Sql {
  return textOf(objectParts(resource, true))
}

/**
 * The parts of a row's JSON. With `isStored`, only stored fields, in a statement of all organizations: rows of other
 * tables are those of the row's organization. Otherwise, they are those of the statement's organization, a parameter.
 */
function objectParts(resource: Resource, isStored: boolean): Part[] {
  const members = resource.fields
    .filter(({ source }) => !(isStored && source.kind === 'computed'))
    .map((field) => memberOf(resource.alias, field, isStored))
  // Every member but the first begins with a comma, so the first must always be there.
  const first = members.find(({ presence }) => presence === 'always')
  if (first === undefined) throw new Error(`${resource.desc.typeName} has no field that is always printed`)
  const rest = members.filter((member) => member !== first).flatMap(memberParts)
  return [`{"${first.key}":`, ...first.value, ...rest, '}']
}

interface Member {
  readonly key: string
  readonly value: readonly Part[]
  /** When it is printed: always, if its value is not null, or if a condition is true. */
  readonly presence: 'always' | 'value' | Prisma.Sql
}

function memberParts({ key, value, presence }: Member): readonly Part[] {
  const parts = [`,"${key}":`, ...value]
  if (presence === 'always') return parts
  if (presence === 'value') return [Prisma.sql`coalesce(${textOf(parts)}, '')`]
  return [Prisma.sql`CASE WHEN ${presence} IS NOT NULL THEN ${textOf(parts)} ELSE '' END`]
}

function memberOf(alias: string, { field, source }: ResourceField, isStored: boolean): Member {
  const key = field.jsonName
  const hasPresence = field.presence === FeatureSet_FieldPresence.EXPLICIT
  switch (source.kind) {
    case 'column': {
      const column = source.read === undefined ? columnIn(alias, source.name) : Prisma.sql`(${source.read})`
      const isOptional = source.isNullable && hasPresence
      const value = valueParts(field, column, { ...source, isNullable: source.isNullable && !isOptional })
      return { key, value, presence: isOptional ? 'value' : 'always' }
    }
    case 'columns': {
      const value = objectParts(source.resource, isStored)
      return { key, value, presence: source.presence === undefined ? 'always' : columnIn(alias, source.presence) }
    }
    case 'parts': {
      const { resource: part } = source
      const item = textOf(objectParts(part, isStored))
      return { key, value: [partsOf(item, part, source, alias, isStored)], presence: 'always' }
    }
    case 'values': {
      const { table, column } = source
      const item = Prisma.sql`to_json(v.${Prisma.raw(column)})::text`
      return { key, value: [partsOf(item, { table, alias: 'v' }, source, alias, isStored)], presence: 'always' }
    }
    case 'computed':
    case 'elsewhere': {
      const value = computedParts(field, source.sql)
      return { key, value, presence: hasPresence ? 'value' : 'always' }
    }
  }
}

/** The list of the rows of another table that belong to the row. */
function partsOf(
  item: Prisma.Sql,
  { table, alias }: { readonly table: Table; readonly alias: string },
  { parent, of = 'id', order }: PartsPlace,
  owner: string,
  isStored: boolean,
): Prisma.Sql {
  const tenant = isStored ? Prisma.raw(`${alias}.organization_id = ${owner}.organization_id`) : ofOrganization(alias)
  const rows = Prisma.raw(`${table.name} ${alias}`)
  const isPart = Prisma.raw(`${alias}.${parent} = ${owner}.${of}`)
  const inOrder = Prisma.raw(order.map((column) => `${alias}.${column}`).join(', '))
  return Prisma.sql`(SELECT ${listText(item, inOrder)} FROM ${rows} WHERE ${tenant} AND ${isPart})`
}
