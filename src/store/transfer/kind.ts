import { Prisma } from '../../../gen/prisma/client.js'
import {
  type ColumnTypes,
  camelCase,
  columnOfField,
  type Resource,
  type ResourceField,
  referencedTable,
  rowsOfJson,
  type Table,
  typesIn,
} from '../resource/resource.js'

/** Every kind of record, each after those that it refers to: the order of writing and of export. */
export const recordKinds = [
  'organization',
  'team',
  'user',
  'group',
  'accessPolicy',
  'approvalProcedure',
  'appInstance',
  'appResource',
  'priority',
  'journey',
  'entityType',
  'entityIngestionConfig',
  'entityFieldMapping',
  'slaDefinition',
] as const

/** The kinds of line: the members of `svc.v2.ImportRecord`. */
export type RecordKind = (typeof recordKinds)[number]

export function perKind<Each>(make: (kind: RecordKind) => Each): Readonly<Record<RecordKind, Each>> {
  return Object.fromEntries(recordKinds.map((kind) => [kind, make(kind)])) as Record<RecordKind, Each>
}

/** Expressions by name, mostly of columns. */
export type Expressions = Readonly<Record<string, Prisma.Sql>>

/**
 * What is particular to a kind of record, beyond the declaration of its resource. An import first puts records into a
 * staging table, with their lines, which SQL sees as `s`; the existing row is `t`.
 */
export interface KindDefinition {
  readonly resource: Resource
  /** The field that names what records belong to; absent for organizations. */
  readonly owner?: string
  /** By field, the columns that no two rows of an organization may have in common, except for nulls. */
  readonly unique?: Readonly<Record<string, readonly string[]>>
  /** Columns of the staging table that are not in the row; each comes from the property of its name in camel case. */
  readonly extras?: ColumnTypes
  /** The columns of fields that are in no one column, by field. */
  readonly elsewhere?: Readonly<Record<string, readonly string[]>>
  /** Columns that differ from the staged value. Existing rows keep the columns that are not named. */
  readonly values?: Expressions
  /** Whether objects show what is written besides their rows, so that it raises their versions. */
  readonly showsLists?: boolean
  /** Additional columns of the tables of lists, by the name of the list, and what is joined to find them. */
  readonly listColumns?: Readonly<Record<string, { readonly values: Expressions; readonly join: Prisma.Sql }>>
  /** References that are not in the schema of the database. */
  readonly references?: readonly Reference[]
  /** Stages existing rows that follow records of an earlier kind, even if the file has none of this kind. */
  readonly followers?: { readonly of: RecordKind; readonly text: Prisma.Sql }
  /** Writes what belongs to the records besides their lists, in order. */
  readonly after?: readonly Prisma.Sql[]
  /** Joined to the table in an export. */
  readonly join?: Prisma.Sql
}

/**
 * The owner that records name in a field: SQL sees it as `owner`. What belongs to something of a team belongs to that
 * team.
 */
function ownerNamedIn(resource: Resource, field: string) {
  const column = columnOfField(resource, field)
  const table = referencedTable(resource.table, column).name
  const isInOrganization = table !== 'organizations'
  const organizationId = Prisma.raw(isInOrganization ? 'owner.organization_id' : 'owner.id')
  const hasTeamOfOwner = column !== 'team_id' && 'team_id' in resource.table.columns
  const gives: Expressions = {
    organization_id: organizationId,
    ...(hasTeamOfOwner && { team_id: Prisma.sql`owner.team_id` }),
  }
  return {
    table,
    column,
    /** Whether the owner belongs to an organization, so that several organizations may have one with its id. */
    isInOrganization,
    field,
    /** The name of the owner in messages. */
    noun: field.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    /** Columns of the staging table that it provides. */
    gives,
  }
}

export type RecordOwner = ReturnType<typeof ownerNamedIn>

/** A reference somewhere in staged records. */
export interface Reference {
  readonly to: string
  /** The id; empty or null if there is none. */
  readonly id: Prisma.Sql
  readonly field: Prisma.Sql
  /** Joined to the staging table if the id is in a list of the record. */
  readonly join: Prisma.Sql
}

/** A kind with its names in the database. */
export type StagedKind = ReturnType<typeof stagedKind>

export function stagedKind(kind: RecordKind, { owner: named, ...definition }: KindDefinition) {
  const { resource } = definition
  const { key } = resource.table
  const owner = named === undefined ? undefined : ownerNamedIn(resource, named)
  const stem = kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return {
    ...definition,
    kind,
    owner,
    stem,
    table: Prisma.raw(resource.table.name),
    staged: Prisma.raw(`staged_${stem}`),
    /** The existing records that the file names, as they were before it. */
    before: Prisma.raw(`before_${stem}`),
    key,
    /** The columns with the ids of a record and its organization: the same one for organizations. */
    id: Prisma.raw(String(key.at(-1))),
    organization: Prisma.raw(String(key[0])),
    /** The values of a line that identify its record within the kind. */
    lineKey: [...(owner === undefined ? [] : [owner.column]), String(key.at(-1))].map(camelCase),
    lists: stagedLists(resource),
    fields: fieldColumns(definition),
  }
}

/** A list of a record that is stored in another table. */
export interface StagedList {
  readonly field: ResourceField['field']
  readonly table: Table
  /** Columns that refer to the record, and the columns of the record to which they refer. */
  readonly owners: Readonly<Record<string, string>>
  /** The items, joined to the staging table as `item`; `place` counts from 1. */
  readonly join: Prisma.Sql
  /** The columns that an item gives, with its values. */
  readonly given: Expressions
  /** The names of the fields with those columns, each behind the index of the item. */
  readonly paths: Readonly<Record<string, string>>
}

function stagedLists({ fields }: Resource): StagedList[] {
  return fields.flatMap(({ field, source }): StagedList[] => {
    if (source.kind !== 'parts' && source.kind !== 'values') return []
    const table = source.kind === 'parts' ? source.resource.table : source.table
    const list = { field, table, owners: { organization_id: 'organization_id', [source.parent]: source.of ?? 'id' } }
    if (source.kind === 'values') {
      const join = Prisma.raw(`CROSS JOIN LATERAL unnest(s.${field.name}) WITH ORDINALITY AS item(value, place)`)
      return [{ ...list, join, given: { [source.column]: Prisma.sql`item.value` }, paths: { [source.column]: '' } }]
    }
    const columns = rowColumns(source.resource)
    const given = storedValues(
      'item',
      Object.keys(columns).filter((column) => column !== source.parent),
    )
    const paths = Object.fromEntries(
      source.resource.fields.flatMap((part) =>
        part.source.kind === 'column' ? [[part.source.name, `.${part.field.jsonName}`]] : [],
      ),
    )
    return [{ ...list, join: eachRow(field.name, 'item', columns), given, paths }]
  })
}

/** Joins the rows in a list of the staged record, under an alias. */
export function eachRow(list: string, name: string, columns: ColumnTypes): Prisma.Sql {
  return Prisma.sql`CROSS JOIN LATERAL ${rowsOfJson(Prisma.raw(`s.${list}`), name, columns)}`
}

export function equal(columns: readonly string[], left: string, right: string): Prisma.Sql {
  return Prisma.raw(columns.map((column) => `${left}.${column} = ${right}.${column}`).join(' AND '))
}

export function listed(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.join(', '))
}

/** The columns of the row that are set by a record of the resource. */
export function rowColumns({ table, fields }: Resource): ColumnTypes {
  return typesIn(table, fields.flatMap(columnsOf))
}

function columnsOf({ source }: ResourceField): string[] {
  if (source.kind === 'columns') return source.resource.fields.flatMap(columnsOf)
  return source.kind === 'column' ? [source.name] : []
}

/** The columns of the staging table for fields of the record, by the local names of the fields. */
function fieldColumns({ resource, elsewhere = {} }: Omit<KindDefinition, 'owner'>): ReadonlyMap<string, ColumnTypes> {
  return new Map(
    resource.fields.map((each) => {
      const { field, source } = each
      if (source.kind === 'parts') return [field.localName, { [field.name]: 'json' }]
      if (source.kind === 'values') return [field.localName, { [field.name]: 'text[]' }]
      return [field.localName, typesIn(resource.table, elsewhere[field.localName] ?? columnsOf(each))]
    }),
  )
}

/**
 * The values of columns of a row under an alias, where `t` is the existing row: times of creation and change stay if
 * the record has none.
 */
export function storedValues(name: string, columns: readonly string[]): Expressions {
  return Object.fromEntries(columns.map((column) => [column, Prisma.raw(storedValue(name, column))]))
}

function storedValue(name: string, column: string): string {
  if (column === 'created_at') return `coalesce(${name}.created_at, t.created_at, now())`
  if (column === 'updated_at') return `coalesce(${name}.updated_at, t.updated_at, ${name}.created_at, now())`
  return `${name}.${column}`
}
