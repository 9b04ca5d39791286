import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement, type Parameter, type Statement } from '../db/statement.js'
import { camelCase, type Table } from './resource/resource.js'
import { inTeams, isOneOf, type Visibility } from './visibility.js'

/** Rows of an organization by their ids; of tables that name a team, those of some teams, if these are given. */
export interface NamedRows extends Partial<Visibility> {
  readonly organizationId: string
  readonly ids: readonly string[]
}

interface RowLockDefinition<Row> {
  /** Names the statement, together with the strength. */
  readonly name: string
  readonly table: Table
  readonly strength: 'UPDATE' | 'NO KEY UPDATE' | 'SHARE' | 'KEY SHARE'
  /** What is read of each row: the column with the name of the property, or another value and its type. */
  readonly read: { readonly [Property in keyof Row & string]: true | readonly [value: Prisma.Sql, type: string] }
  /** The column of the ids. Default: `id`. */
  readonly key?: string
  /** The column whose order the locks follow. Default: that of the ids. */
  readonly order?: string
  /** The team of a row. Default: the column that names it, if there is one. */
  readonly team?: Prisma.Sql
}

/**
 * Makes a statement that locks rows until the transaction ends and reads them as they are then. Everyone locks rows of
 * a table in one order, so that those who share some wait for each other instead of deadlocking.
 */
export function createRowLock<Row extends object = Record<never, never>>({
  name,
  table,
  strength,
  read,
  key = 'id',
  order = key,
  team = ownTeam(table),
}: RowLockDefinition<Row>): Statement<NamedRows, Row> {
  const columnOf = new Map(Object.keys(table.columns).map((column) => [camelCase(column), column]))
  const values = Object.entries<true | readonly [Prisma.Sql, string]>(read).map(([property, other]) => {
    const column = columnOf.get(property) ?? ''
    const [value, type] = other === true ? [Prisma.raw(column), String(table.columns[column]?.type)] : other
    return { property, type, text: Prisma.sql`${value} AS ${Prisma.raw(`"${property}"`)}` }
  })
  const isNamed = (ids: Parameter) => isOneOf(Prisma.raw(key), ids, table.columns[key]?.type)
  const organization = Prisma.raw('organization_id' in table.columns ? 'organization_id' : 'id')
  return createStatement<NamedRows, Row>({
    name: `${name}_for_${strength.toLowerCase().replaceAll(' ', '_')}`,
    columns: Object.fromEntries(values.map(({ property, type }) => [property, type])) as Columns<Row>,
    text: ({ organizationId, ids, teamIds }) => Prisma.sql`
SELECT ${values.length === 0 ? Prisma.empty : Prisma.join(values.map(({ text }) => text))} FROM ${Prisma.raw(table.name)}
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
