import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement, type Parameter } from '../db/statement.js'
import { propertiesIn, type RowOf, type Table } from './resource/resource.js'
import { inTeams, isOneOf, type Visibility } from './visibility.js'

/** Rows of an organization by their ids; of tables that name a team, those of some teams, if these are given. */
export interface NamedRows extends Partial<Visibility> {
  readonly organizationId: string
  readonly ids: readonly string[]
}

interface RowLockDefinition<Of extends Table, Property, More> {
  readonly table: Of
  readonly strength: 'UPDATE' | 'NO KEY UPDATE' | 'SHARE' | 'KEY SHARE'
  /** The properties that are read of each row. */
  readonly read: readonly Property[]
  /** Other values that are read, each with its type. */
  readonly more?: More
  /** Names the statement, together with the strength. Default: that of the table. */
  readonly name?: string
  /** The column of the ids. Default: `id`. */
  readonly key?: string
  /** The column whose order the locks follow. Default: that of the ids. */
  readonly order?: string
  /** The team of a row. Default: the column that names it, if there is one. */
  readonly team?: Prisma.Sql
}

type Value = readonly [value: Prisma.Sql, type: keyof ValueTypes]
interface ValueTypes {
  readonly text: string
  readonly timestamptz: Date
}

/**
 * Makes a statement that locks rows until the transaction ends and reads them as they are then. Everyone locks rows of
 * a table in one order, so that those who share some wait for each other instead of deadlocking.
 */
export function createRowLock<
  Of extends Table,
  Property extends keyof RowOf<Of> & string,
  const More extends Readonly<Record<string, Value>> = Record<never, never>,
>({
  table,
  strength,
  read,
  more,
  name = `lock_${table.name}`,
  key = 'id',
  order = key,
  team = ownTeam(table),
}: RowLockDefinition<Of, Property, More>) {
  type Row = Pick<RowOf<Of>, Property> & { readonly [Name in keyof More]: ValueTypes[More[Name][1]] }
  const ofRow = propertiesIn(table, read)
  const others = Object.entries({ ...more })
  const texts = others.map(([name, [value]]) => Prisma.sql`${value} AS ${Prisma.raw(`"${name}"`)}`)
  if (read.length > 0) texts.unshift(ofRow.sql)
  const isNamed = (ids: Parameter) => isOneOf(Prisma.raw(key), ids, table.columns[key]?.type)
  const organization = Prisma.raw('organization_id' in table.columns ? 'organization_id' : 'id')
  return createStatement<NamedRows, Row>({
    name: `${name}_for_${strength.toLowerCase().replaceAll(' ', '_')}`,
    columns: { ...ofRow.types, ...Object.fromEntries(others.map(([name, [, type]]) => [name, type])) } as Columns<Row>,
    text: ({ organizationId, ids, teamIds }) => Prisma.sql`
SELECT ${texts.length === 0 ? Prisma.empty : Prisma.join(texts)} FROM ${Prisma.raw(table.name)}
 WHERE ${organization} = ${organizationId} AND ${isNamed(ids)}
       ${team === undefined ? Prisma.empty : Prisma.sql`AND ${inTeams(team, teamIds)}`}
 ORDER BY ${Prisma.raw(order)}
   FOR ${Prisma.raw(strength)}`,
  })
}

function ownTeam(table: Table): Prisma.Sql | undefined {
  const column = teamColumn(table)
  return column && Prisma.raw(column)
}

/** The column of a table that names the team of a row, which of a team is its id; undefined if there is none. */
export function teamColumn({ name, columns }: Table): 'team_id' | 'id' | undefined {
  if ('team_id' in columns) return 'team_id'
  return name === 'teams' ? 'id' : undefined
}
