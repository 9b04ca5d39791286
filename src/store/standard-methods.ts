import { getOption } from '@bufbuild/protobuf'
import { Prisma } from '../../gen/prisma/client.js'
import { access } from '../../gen/svc/v2/access_pb.js'
import { createStatement, type Parameter, type Places } from '../db/statement.js'
import { createLookUp, firstRow, type Tables } from '../db/tables.js'
import { createCount, createPages, isFound, wanted } from './pages.js'
import { type PrintedObject, type PrintedRow, rowText, versionText } from './resource/print.js'
import { camelCase, columnOfField, type Resource, referencedTable, type Table } from './resource/resource.js'
import { columnIn, listText } from './resource/text.js'
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

/** Which list of an owner is wanted: empty texts mean no filter, by the local names of the resource's fields. */
export interface WantedList extends Visibility {
  readonly ownerId: string
  readonly filters: Readonly<Record<string, string>>
}

/** The standard methods (AIP-131 to 135) of a resource whose objects belong to teams. */
export type StandardStore<Of extends StandardKey = StandardKey> = ReturnType<typeof createStandardStore<Of>>

interface StandardStoreOptions<Of> {
  /** The column that refers to what an object belongs to, null for the organization. Default: `team_id`. */
  readonly ownerColumn?: string | null
  /** Finds fields that are kept elsewhere. */
  readonly join?: Prisma.Sql
  /** A field with a text in whose words the filter `q` searches, by an index of the table. */
  readonly searched?: string
  /**
   * For objects that can be shared with other teams: the condition that an object is shared with a listed team.
   * `isListed` is the condition that a column names one.
   */
  readonly shared?: (isListed: (team: Prisma.Sql) => Prisma.Sql) => Prisma.Sql
  /** Rows of other tables that are written together with an object. */
  readonly relations?: { readonly [Name in keyof Of]?: Relation<Of[Name]> }
  /** Conditions of lists besides their filters. */
  readonly condition?: (places: Places<Visibility>) => Prisma.Sql
  /** The order of all that an owner has, if that can be listed whole. */
  readonly orderOfOwner?: Prisma.Sql
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
  const { filters, isPaged } = listOf(resource)
  const owner = ownerColumn === null ? undefined : createReference<Of>(table, ownerColumn)
  const rows = Prisma.raw(`${table.name} ${alias}`)
  const team = teamOf(table, alias, owner)
  const ownTeam = teamOf(table, table.name, owner)
  const find = createLookUp<WantedObject, StandardRow>({
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
  const lock = createRowLock({
    table,
    strength: 'UPDATE',
    read: [],
    more: { teamId: [ownTeam, 'text'] },
    team: ownTeam,
  })
  return {
    /** The name of its message, such as `EntityType`. */
    type: desc.name,
    /** The group of the permissions of its methods, such as `entities`. */
    permissions: permissionGroupOf(resource),
    /** By which fields a list can be filtered. */
    filters: [...filters.map(camelCase), ...(searched === undefined ? [] : ['q'])],
    /** The owner of an object, which gives it its team; absent if the organization owns it. */
    owner,
    /** Other objects that its fields refer to. */
    references: referencesOf(resource, ownerColumn),
    /** Whether the owner has the team, so that lists name it. */
    isListedByOwner: !('team_id' in table.columns),
    /** Absent if no list is paged. */
    pages: isPaged ? createStandardPages(resource, team, filters, options) : undefined,
    /** All objects of a visible owner; absent if they are not listed whole. */
    listOfOwner: options.orderOfOwner && createListOfOwner(resource, filters, { ...options, ownerColumn }),
    find,
    /**
     * Locks an object until the transaction ends, so that nothing begins to refer to it, and returns its team. What is
     * read afterwards sees the rows of its lists as they are then.
     */
    lock: (tables: Tables, wanted: WantedObject): Promise<Pick<StandardRow, 'teamId'> | undefined> =>
      firstRow(tables, lock, { ...wanted, ids: [wanted.id] }),
    ...createStandardWrites(resource, options.relations),
  }
}

function permissionGroupOf({ desc }: Resource): string {
  const methods = desc.file.services.flatMap((service) => service.methods)
  const groups = methods.map((method) => getOption(method, access).permission.split(':', 1))
  return [...new Set(groups.flat())].join()
}

/** By which columns the list of the API is filtered, those that its request names, and whether it has pages. */
function listOf({ desc, table }: Resource): { readonly filters: readonly string[]; readonly isPaged: boolean } {
  const methods = desc.file.services.flatMap((service) => service.methods)
  const lists = methods.filter(({ output }) => output.field['data']?.message === desc)
  const paged = lists.find(({ output }) => 'nextPageToken' in output.field)
  const fields = (paged ?? lists.find(({ name }) => name.startsWith('List')))?.input.fields ?? []
  return {
    filters: fields.map(({ name }) => name).filter((name) => name in table.columns),
    isPaged: paged !== undefined,
  }
}

function createListOfOwner<Of>(
  resource: Resource<Of>,
  filters: readonly string[],
  { ownerColumn, condition, orderOfOwner = Prisma.empty }: StandardStoreOptions<Of>,
) {
  const { alias, table } = resource
  const parent = String(ownerColumn)
  const owners = referencedTable(table, parent)
  const team = Prisma.raw(`owner.${teamColumn(owners)}`)
  const rows = { table, alias, filters: filters.filter((column) => column !== parent), ...(condition && { condition }) }
  const make = (name: string, listed: Parameters<typeof wanted<Visibility>>[0]) =>
    createStatement<Omit<WantedList, 'filters'>, PrintedRow & { readonly teamId: string }>({
      name,
      columns: { json: 'text', teamId: 'text' },
      text: (places) => Prisma.sql`
SELECT ${team} AS "teamId", list.json
  FROM ${Prisma.raw(owners.name)} owner
 CROSS JOIN LATERAL (
    SELECT ${listText(rowText(resource), orderOfOwner)} AS json
      FROM ${Prisma.raw(`${table.name} ${alias}`)}
     WHERE ${wanted(listed, places)} AND ${columnIn(alias, parent)} = owner.id
  ) list
 WHERE ${ofOrganization('owner')} AND owner.id = ${places.ownerId} AND ${inTeams(team, places.teamIds)}`,
    })
  // Of one statement for both, PostgreSQL would make a plan for each call.
  const all = make(`list_${table.name}_of_${owners.name}`, { table, alias })
  const filtered = rows.filters.length === 0 ? all : make(`filter_${table.name}_of_${owners.name}`, rows)
  return (tables: Tables, { filters: values, ...owner }: WantedList) => {
    const isFiltered = Object.values(values).some((value) => value !== '')
    return firstRow(tables, isFiltered ? filtered : all, { ...values, ...owner })
  }
}

function createStandardPages<Of>(
  resource: Resource<Of>,
  team: Prisma.Sql,
  filters: readonly string[],
  { join, searched, shared, condition }: StandardStoreOptions<Of>,
) {
  const { alias, table } = resource
  const inLists = (isListed: (of: Prisma.Sql) => Prisma.Sql) =>
    shared === undefined ? isListed(team) : Prisma.sql`(${isListed(team)} OR ${shared(isListed)})`
  const ofTeam: Parameter = { parameter: 'teamId' }
  const listed = {
    table,
    alias,
    filters: filters.filter((column) => shared === undefined || column !== 'team_id'),
    condition: (places: Places<Visibility>) => {
      const visible = inLists((of) => inTeams(of, places.teamIds))
      const inTeam =
        shared && Prisma.sql`(${ofTeam}::text IS NULL OR ${inLists((of) => Prisma.sql`${of} = ${ofTeam}`)})`
      const found = searched && isFound(alias, columnIn(alias, columnOfField(resource, searched)))
      const all = [visible, inTeam, condition?.(places), found].flatMap((each) => (each === undefined ? [] : [each]))
      return Prisma.join(all, ' AND ')
    },
  }
  return {
    /** A page of objects, filtered by the local names of the resource's fields: null means no filter. */
    list: createPages(`list_${table.name}`, {
      ...listed,
      text: rowText(resource),
      ...(join && { join }),
      order: ['ordinal'],
      isSearched: searched !== undefined,
    }),
    /** How many objects the list has on all pages. */
    count: createCount(`count_${table.name}`, listed),
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
