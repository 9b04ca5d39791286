import { Prisma } from '../../gen/prisma/client.js'
import type { Tables } from '../db/tables.js'
import { camelCase, type Resource, referencedTable, type Table } from './resource/resource.js'
import { createRowLock, type NamedRows, teamColumn } from './row-lock.js'
import { modelOf } from './standard-writes.js'
import type { Visibility } from './visibility.js'

/** Other objects that those of a resource refer to. */
export type StandardReference<Of = object> = ReturnType<typeof createReference<Of>>

/** The reference of a column, which the table must declare. */
export function createReference<Of>(table: Table, column: string) {
  const target = referencedTable(table, column)
  const team = teamColumn(target) ?? 'id'
  const property = camelCase(team)
  const values = { id: [Prisma.raw('id'), 'text'], teamId: [Prisma.raw(team), 'text'] } as const
  const keep = createRowLock({ table: target, strength: 'SHARE', read: [], more: values })
  return {
    /** The property with the id, which has the name of its field. */
    property: camelCase(column) as keyof Of & string,
    column,
    /** The table of the others. */
    table: target.name,
    /** The type of the referenced object in words, such as `access policy`. */
    type: target.model.replace(/[A-Z]/g, (first) => ` ${first.toLowerCase()}`),
    /** Locks the visible ones until the transaction ends, and returns their teams by id. */
    teams: async (tables: Tables, named: NamedRows & Visibility): Promise<ReadonlyMap<string, string>> =>
      new Map((await tables.run(keep, named)).map(({ id, teamId }) => [id, teamId])),
    /** Finds teams without locking them. */
    findTeams: async (
      tables: Tables,
      { organizationId, ids, teamIds }: NamedRows & Visibility,
    ): Promise<ReadonlyMap<string, string>> => {
      const isVisible = teamIds === null ? {} : { [property]: { in: [...teamIds] } }
      const where = { organizationId, AND: [{ id: { in: [...ids] } }, isVisible] }
      const select = { id: true, [property]: true }
      const found = await modelOf(tables, target).findMany({ where, select })
      return new Map(found.map((row) => [String(row['id']), String(row[property])]))
    },
  }
}

/** The references in the fields of a resource, except the one of its owner. */
export function referencesOf<Of>({ table, fields }: Resource<Of>, owner: string | null): StandardReference<Of>[] {
  return fields.flatMap(({ source }) => {
    const refers = source.kind === 'column' && source.name !== owner && source.name in table.references
    return refers ? [createReference<Of>(table, source.name)] : []
  })
}
