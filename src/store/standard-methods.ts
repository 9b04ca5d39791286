import { getOption } from '@bufbuild/protobuf'
import { Prisma } from '../../gen/prisma/client.js'
import { access } from '../../gen/svc/v2/access_pb.js'
import { createStatement, type Parameter, type Places } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { createCount, createPages, isFound } from './pages.js'
import { type PrintedObject, rowText, versionText } from './resource/print.js'
import { columnOfField, type Resource, type Table } from './resource/resource.js'
import { createRowLock, teamColumn } from './row-lock.js'
import { createReference, referencesOf, type StandardReference } from './standard-references.js'
import { createStandardWrites, type Relation, type StandardKey } from './standard-writes.js'
import { inTeams, ofOrganization, type Visibility } from './visibility.js'

/** One object: its JSON, its version, and the team that it belongs to; null for the organization's own. */
export interface StandardRow extends PrintedObject {
  readonly teamId: string | null
}

/** Which object is wanted; with `ownerId`, only if it belongs to that. */
export interface WantedObject extends StandardKey, Visibility {
  readonly ownerId?: string
}

/** Which objects to list: null means no filter, by the local names of the resource's fields. */
export interface StandardSelection extends Visibility {
  readonly filters: Readonly<Record<string, string | null>>
  /** The position after which the page begins; absent for the first one. */
  readonly after: string | undefined
  readonly pageSize: number
}

/** The standard methods (AIP-131 to 135) of a resource whose objects belong to teams. */
export type StandardStore<Of extends StandardKey = StandardKey> = ReturnType<typeof createStandardStore<Of>>

/** What is not usual about a resource. */
interface StandardStoreOptions<Of> {
  /** The column that refers to what an object belongs to, null for the organization. Default: `team_id`. */
  readonly ownerColumn?: string | null
  /** Finds fields that are kept elsewhere. */
  readonly join?: Prisma.Sql
  /** A field with a text in whose words the filter `q` searches, by an index of the table. */
  readonly searched?: string
  /**
   * For objects that are in the lists of other teams than their own: the condition that they are in those of some
   * teams, given the condition that a column names one of these.
   */
  readonly shared?: (isListed: (team: Prisma.Sql) => Prisma.Sql) => Prisma.Sql
  /** Rows of other tables that are written together with an object. */
  readonly relations?: { readonly [Name in keyof Of]?: Relation<Of[Name]> }
  /** What lists require beside their filters. */
  readonly condition?: (places: Places<Visibility>) => Prisma.Sql
}

/**
 * Makes the store of a resource. Its table has the columns `organization_id` and `id`, and `team_id` unless the owner
 * has it, or its objects are teams or belong to the organization. If its service lists it in pages, the table has the
 * column `ordinal` as well.
 */
export function createStandardStore<Of extends StandardKey>(
  resource: Resource<Of>,
  options: StandardStoreOptions<Of> = {},
) {
  const { ownerColumn = 'team_id', join = Prisma.empty, searched } = options
  const { desc, table, alias } = resource
  const filters = filtersOf(resource)
  const owner = ownerColumn === null ? undefined : createReference<Of>(table, ownerColumn)
  const rows = Prisma.raw(`${table.name} ${alias}`)
  const team = teamOf(table, alias, owner)
  const ownTeam = teamOf(table, table.name, owner)
  const find = createStatement<WantedObject, StandardRow>({
    name: `print_${table.name}`,
    columns: { teamId: 'text', json: 'text', version: 'text' },
    text: ({ id, ownerId, teamIds }) => {
      const isOwned =
        ownerColumn === null || ownerColumn === 'team_id'
          ? Prisma.empty
          : Prisma.sql`AND (${ownerId}::text IS NULL OR ${columnIn(alias, ownerColumn)} = ${ownerId})`
      return Prisma.sql`
SELECT ${team} AS "teamId", ${rowText(resource)} AS json, ${versionText(resource)} AS version
  FROM ${rows} ${join}
 WHERE ${columnIn(alias, 'id')} = ${id} AND ${ofOrganization(alias)} AND ${inTeams(team, teamIds)}
       ${isOwned}`
    },
  })
  const lock = createRowLock<Pick<StandardRow, 'teamId'>>({
    name: `lock_${table.name}`,
    table,
    strength: 'UPDATE',
    team: ownTeam,
    read: { teamId: [ownTeam, 'text'] },
  })
  return {
    /** The name of its message, such as `EntityType`. */
    type: desc.name,
    /** The group of the permissions of its methods, such as `entities`. */
    permissions: permissionGroupOf(resource),
    /** By which fields a list can be filtered. */
    filters: [...(filters ?? []), ...(searched === undefined ? [] : ['q'])],
    /** What an object belongs to, from which it has its team; absent for what belongs to the organization. */
    owner,
    /** What else its fields refer to. */
    references: referencesOf(resource, ownerColumn),
    /** Whether the owner has the team, so that lists name it. */
    isListedByOwner: !('team_id' in table.columns),
    /** Absent if no list is paged. */
    pages: filters && createStandardPages(resource, team, filters, options),
    find: (tables: Tables, wanted: WantedObject) => firstRow(tables, find, wanted),
    /**
     * The team of an object, which is locked until the end of the transaction: nothing begins to refer to it in the
     * meantime. What is read after this sees the rows of its lists as they are then.
     */
    lock: (tables: Tables, wanted: WantedObject) => firstRow(tables, lock, { ...wanted, ids: [wanted.id] }),
    ...createStandardWrites(resource, options.relations),
  }
}

function permissionGroupOf({ desc }: Resource): string {
  const methods = desc.file.services.flatMap((service) => service.methods)
  const groups = methods.map((method) => getOption(method, access).permission.split(':', 1))
  return [...new Set(groups.flat())].join()
}

/** The fields by which a list is filtered: those of its request that are columns. Undefined without a list in pages. */
function filtersOf({ desc, table }: Resource): string[] | undefined {
  const lists = desc.file.services.flatMap(({ methods }) => methods)
  const list = lists.find(({ output }) => output.field['data']?.message === desc && 'nextPageToken' in output.field)
  return list?.input.fields.filter(({ name }) => name in table.columns).map(({ localName }) => localName)
}

type StandardPage = Visibility & { readonly after: string; readonly pageSize: number }

function createStandardPages<Of>(
  resource: Resource<Of>,
  team: Prisma.Sql,
  filters: readonly string[],
  { join = Prisma.empty, searched, shared, condition }: StandardStoreOptions<Of>,
) {
  const { alias, table } = resource
  const column = (name: string) => columnIn(alias, name)
  const filterColumns = filters.map((name) => [name, columnOfField(resource, name)] as const)
  const listed = (places: Places<Visibility>) => {
    const inLists = (isListed: (of: Prisma.Sql) => Prisma.Sql, own: Prisma.Sql) =>
      shared === undefined ? isListed(own) : Prisma.sql`(${isListed(own)} OR ${shared(isListed)})`
    const conditions = filterColumns.map(([name, filtered]) => {
      const place: Parameter = { parameter: name }
      const isWanted = (of: Prisma.Sql) => Prisma.sql`${of} = ${place}`
      const isMet = filtered === 'team_id' ? inLists(isWanted, column(filtered)) : isWanted(column(filtered))
      return Prisma.sql`(${place}::text IS NULL OR ${isMet})`
    })
    const found = searched === undefined ? undefined : isFound(alias, column(columnOfField(resource, searched)))
    const inScope = inLists((of) => inTeams(of, places.teamIds), team)
    const others = [found, condition?.(places)].flatMap((each) => (each === undefined ? [] : [each]))
    return Prisma.join([ofOrganization(alias), inScope, ...conditions, ...others], ' AND ')
  }
  const order = column('ordinal')
  const listedRows = { from: Prisma.raw(`${table.name} ${alias}`), condition: listed }
  const list = createPages<StandardPage>(`list_${table.name}`, {
    ...listedRows,
    alias,
    text: rowText(resource),
    join,
    order,
    position: Prisma.sql`${order}::text`,
    isLater: ({ after }) => Prisma.sql`${order} > ${after}::bigint`,
    isSearched: searched !== undefined,
  })
  const count = createCount<Visibility>(`count_${table.name}`, listedRows)
  return {
    list: (tables: Tables, { filters: values, after = '0', ...page }: StandardSelection) =>
      list(tables, { ...values, ...page, after }),
    /** How many objects the list has on all pages. */
    count: (tables: Tables, { filters: values, ...visibility }: Omit<StandardSelection, 'after' | 'pageSize'>) =>
      count(tables, { ...values, ...visibility }),
  }
}

/** The team of a row in SQL: its own, that of its owner, or null for what belongs to the organization. */
function teamOf<Of>(table: Table, alias: string, owner: StandardReference<Of> | undefined): Prisma.Sql {
  const team = teamColumn(table)
  if (team !== undefined) return columnIn(alias, team)
  if (owner === undefined) return Prisma.sql`NULL::text`
  return Prisma.sql`(SELECT owner.team_id FROM ${Prisma.raw(owner.table)} owner
                      WHERE ${ofOrganization('owner')} AND owner.id = ${columnIn(alias, owner.column)})`
}

function columnIn(alias: string, name: string): Prisma.Sql {
  return Prisma.raw(`${alias}.${name}`)
}
