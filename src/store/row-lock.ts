import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement, type Parameter, type Statement } from '../db/statement.js'
import { camelCase, type Table } from './resource/resource.js'
import { inTeams, isOneOf, type Scope } from './scope.js'

/** Rows of an organization by their ids. */
export interface NamedRows {
  readonly organizationId: string
  readonly ids: readonly string[]
}

/** Those of them that are in the scope. */
export type NamedRowsInScope = NamedRows & Scope

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
  /** The column of the team, for rows in the scope. */
  readonly team?: string
}

/**
 * Makes a statement that locks rows until the transaction ends and reads them as they are then. Everyone locks rows of a
 * table in one order, so that those who share some wait for each other instead of deadlocking.
 */
export function createRowLock<Row, Parameters extends NamedRows = NamedRows>({
  name,
  table,
  strength,
  read,
  key = 'id',
  order = key,
  team,
}: RowLockDefinition<Row>): Statement<Parameters, Row> {
  const columnOf = new Map(Object.keys(table.columns).map((column) => [camelCase(column), column]))
  const values = Object.entries<true | readonly [Prisma.Sql, string]>(read).map(([property, other]) => {
    const column = columnOf.get(property) ?? ''
    const [value, type] = other === true ? [Prisma.raw(column), String(table.columns[column]?.type)] : other
    return { property, type, text: Prisma.sql`${value} AS ${Prisma.raw(`"${property}"`)}` }
  })
  const isNamed = (ids: Parameter) => isOneOf(Prisma.raw(key), ids, table.columns[key]?.type)
  const organization = Prisma.raw('organization_id' in table.columns ? 'organization_id' : 'id')
  const teamIds: Parameter = { parameter: 'teamIds' }
  const isInScope = team === undefined ? Prisma.empty : Prisma.sql`AND ${inTeams(Prisma.raw(team), teamIds)}`
  return createStatement<Parameters, Row>({
    name: `${name}_for_${strength.toLowerCase().replaceAll(' ', '_')}`,
    columns: Object.fromEntries(values.map(({ property, type }) => [property, type])) as Columns<Row>,
    text: ({ organizationId, ids }) => Prisma.sql`
SELECT ${values.length === 0 ? Prisma.empty : Prisma.join(values.map(({ text }) => text))} FROM ${Prisma.raw(table.name)}
 WHERE ${organization} = ${organizationId} AND ${isNamed(ids)} ${isInScope}
 ORDER BY ${Prisma.raw(order)}
   FOR ${Prisma.raw(strength)}`,
  })
}
