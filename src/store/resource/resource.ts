import type { DescField, DescMessage, Message, MessageShape } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'
import { schema } from '../../../gen/prisma/schema.js'
import type { Columns, Parameter } from '../../db/statement.js'

/** A column of a table. `isId`: it is the id of something, whose format the database checks. */
export interface Column {
  /** By PostgreSQL's name; an enum is `enum` and its name. */
  readonly type: string
  readonly isNullable: boolean
  readonly isId: boolean
}

export interface Table {
  readonly name: string
  readonly columns: Readonly<Record<string, Column>>
  readonly key: readonly string[]
  /** The tables whose rows columns refer to. */
  readonly references: Readonly<Record<string, string>>
  readonly model: string
  /** The lists of its model with what refers to a row and keeps it from being deleted. */
  readonly referrers: readonly string[]
}

/** A row of a table, as its Prisma model has it. */
export type RowOf<Of extends Table> =
  Capitalize<Of['model']> extends keyof Models
    ? Readonly<Models[Capitalize<Of['model']>]['payload']['scalars']>
    : object

type Models = Prisma.TypeMap['model']

/**
 * Where a field of a message is stored. SQL calls the row by the alias of the resource; `sql` gives text, a number or a
 * boolean, the whole name of an enum's value, or the JSON of a message.
 */
export type Source =
  /** A column of the row. `read` is what is printed of it, if not the value as it is. */
  | ({ readonly kind: 'column'; readonly name: string; readonly read?: Prisma.Sql } & Column)
  /** Several columns of the row; the message is absent if the one called `presence`, if any, is null. */
  | { readonly kind: 'columns'; readonly resource: Resource; readonly presence?: string }
  /** Rows of another table, one message each, whose column `parent` refers to the row. */
  | ({ readonly kind: 'parts'; readonly resource: Resource } & PartsPlace)
  /** Rows of another table, one value each. */
  | ({ readonly kind: 'values'; readonly table: Table; readonly column: string } & PartsPlace)
  /**
   * Computed from other values when it is printed: an import ignores it, an export omits it. `isUnwritten`: it changes
   * with time or with rows that others write, so that its value belongs to the version of the object.
   */
  | { readonly kind: 'computed'; readonly sql: Prisma.Sql; readonly isUnwritten?: boolean }
  /** Stored elsewhere, or not in one column: an import writes it by other means. `of`: the columns that it shows. */
  | { readonly kind: 'elsewhere'; readonly sql: Prisma.Sql; readonly of?: readonly string[] }

/** Where the rows of a list are, and the columns that order them. */
export interface PartsPlace {
  readonly parent: string
  /** The column of the row to which `parent` refers, if it is not `id`. */
  readonly of?: string
  readonly order: readonly string[]
}

export interface ResourceField {
  readonly field: DescField
  readonly source: Source
  /** The property of a row with its value, or with its list. */
  readonly property: string
}

/** A message of the API as rows of a table store it. */
export interface Resource<Row = never> {
  readonly desc: DescMessage
  readonly table: Table
  readonly alias: string
  /** Every field of the message, in its order. */
  readonly fields: readonly ResourceField[]
  /** Never set: carries the type of the rows, which may have more. */
  readonly row?: (row: Row) => void
}

/** The local names of the fields of a message; any text if the message is known at run time only. */
type FieldOf<Shape> = Message extends Shape
  ? string
  : {
      [Name in Exclude<keyof Shape, keyof Message> & string]-?: Shape[Name] extends { readonly case: infer Case }
        ? Extract<Case, string>
        : Name
    }[Exclude<keyof Shape, keyof Message> & string]

/** The declaration of a field: its column, if the name differs, or another source. */
type Declared<Of extends Table = Table> =
  | (keyof Of['columns'] & string)
  | Source
  | { readonly kind: 'column'; readonly name: keyof Of['columns'] & string; readonly read: Prisma.Sql }

/** Declarations by the local names of fields: one for each field without a column of its name. */
export type Declarations<Desc extends DescMessage, Of extends Table> = Readonly<
  Partial<Record<FieldOf<MessageShape<Desc>>, Declared<Of>>> &
    Record<Exclude<FieldOf<MessageShape<Desc>>, keyof RowOf<Of>>, Declared<Of>>
>

/**
 * Declares how a table stores a message: each field in the column of its name, except for those declared under their
 * local names. The compiler refuses a field that is stored nowhere. Throws if a declared name is not a field, and where
 * the message or the table is known at run time only.
 */
export function declareResource<Desc extends DescMessage, const Of extends Table>(
  desc: Desc,
  table: Of,
  alias: string,
  ...[given]: Record<never, never> extends Declarations<Desc, Of> ? [Declarations<Desc, Of>?] : [Declarations<Desc, Of>]
): Resource<RowOf<Of>> {
  const declared: Readonly<Record<string, Declared>> = { ...given }
  for (const name of Object.keys(declared)) {
    if (desc.field[name] === undefined) throw new Error(`${desc.typeName} has no field ${name}`)
  }
  const fields = desc.fields.map((field) => {
    const source = sourceOf(field, table, declared[field.localName])
    return { field, source, property: source.kind === 'column' ? camelCase(source.name) : field.localName }
  })
  return { desc, table, alias, fields }
}

function sourceOf(field: DescField, table: Table, declared: Declared = field.name): Source {
  const source = typeof declared === 'string' ? { kind: 'column' as const, name: declared } : declared
  if (source.kind !== 'column') return source
  const column = table.columns[source.name]
  if (column !== undefined) return { ...column, ...source }
  throw new Error(`${field.parent.typeName}.${field.name} has no column ${source.name} in ${table.name}`)
}

/** The table to whose rows a column refers. Throws if it refers to nothing. */
export function referencedTable(table: Table, column: string): Table {
  const target = Object.values<Table>(schema).find(({ name }) => name === table.references[column])
  if (target === undefined) throw new Error(`${table.name}.${column} refers to nothing`)
  return target
}

/** The name of the column of a field, by its local name. Throws if it is in no one column. */
export function columnOfField({ desc, fields }: Resource, name: string): string {
  const source = fields.find(({ field }) => field.localName === name)?.source
  if (source?.kind !== 'column') throw new Error(`${desc.typeName}.${name} is in no column`)
  return source.name
}

/** Columns of a table as properties of the rows of a statement: their types, and how SQL selects them. */
export function propertiesIn<Of extends Table, Property extends keyof RowOf<Of> & string>(
  table: Of,
  properties: readonly Property[],
  alias?: string,
) {
  const prefix = alias === undefined ? '' : `${alias}.`
  const columns = Object.entries(table.columns).filter(([name]) => properties.some((each) => each === camelCase(name)))
  return {
    types: Object.fromEntries(columns.map(([name, { type }]) => [camelCase(name), type])) as Columns<
      Pick<RowOf<Of>, Property>
    >,
    sql: Prisma.raw(columns.map(([name]) => `${prefix}${name} AS "${camelCase(name)}"`).join(', ')),
  }
}

/** Columns by name, each with its type as SQL writes it. */
export type ColumnTypes = Readonly<Record<string, string>>

export function typesIn({ columns }: Table, names: readonly string[]): ColumnTypes {
  return Object.fromEntries(names.map((name) => [name, (columns[name]?.type ?? 'text').replace(/^enum /, '')]))
}

/** The columns as those of a JSON object with properties in camel case. */
export function jsonColumns(columns: ColumnTypes): Prisma.Sql {
  const texts = Object.entries(columns).map(([name, type]) => `"${camelCase(name)}" ${type}`)
  return Prisma.raw(texts.join(', '))
}

/**
 * The objects in a list of JSON as rows under an alias, with columns of the properties' names. SQL sees the position of
 * each, counted from 1, as `place`.
 */
export function rowsOfJson(json: Prisma.Sql | Parameter, alias: string, columns: ColumnTypes): Prisma.Sql {
  const names = Prisma.raw(`${alias} (${[...Object.keys(columns), 'place'].join(', ')})`)
  return Prisma.sql`ROWS FROM (json_to_recordset(${json}) AS (${jsonColumns(columns)})) WITH ORDINALITY AS ${names}`
}

/** The name of the property for a column: `teamId` for `team_id`. */
export function camelCase(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase())
}
