import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner, UserRole } from '../../gen/prisma/enums.js'
import type { Parameter, Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type OwnedField, ownedPlaces } from './owned-column.js'
import { createCount, createPages, isFound, type PageRow } from './pages.js'
import { rowText } from './resource/print.js'
import { camelCase } from './resource/resource.js'
import { userResource } from './user.js'
import { ofOrganization } from './visibility.js'

/** Which members to list; undefined values mean all. */
export interface UserFilters {
  readonly isDeactivated: boolean | undefined
  readonly emailKey: string | undefined
  /** Beginnings of words of the name and the address. */
  readonly q: string | undefined
  readonly department: string | undefined
  readonly role: UserRole | undefined
  readonly managerUserId: string | undefined
  readonly ids: readonly string[] | undefined
  readonly owned: { readonly field: OwnedField; readonly owner: FieldOwner } | undefined
}

/** A page of them. */
export interface UserSelection {
  readonly organizationId: string
  /** The ordinal of the member before the page; undefined for the first one. */
  readonly after: string | undefined
  readonly filters: UserFilters
  readonly pageSize: number
}

type Page = Omit<UserSelection, 'filters'>

/** The columns to filter by, and the types of their values. */
const filtered: readonly (readonly [column: string, type: string])[] = [
  ['email_key', 'text'],
  ['department', 'text'],
  ['role', 'user_role'],
  ['manager_user_id', 'text'],
  ...ownedPlaces.map(({ field }) => [`${field.toLowerCase()}_owner`, 'field_owner'] as const),
]

const emailKey: Parameter = { parameter: 'emailKey' }
const isDeactivated = Prisma.sql`${{ parameter: 'isDeactivated' } satisfies Parameter}::bool`
const isShown = Prisma.sql`(${isDeactivated} IS NULL OR (m.deactivated_at IS NOT NULL) = ${isDeactivated})`

/** True for the members that the filters want; planned with the values, so that an absent one is no condition. */
function matches(): Prisma.Sql {
  const conditions = filtered.map(([column, type]) => {
    const value = Prisma.sql`${{ parameter: camelCase(column) } satisfies Parameter}::${Prisma.raw(type)}`
    const held = Prisma.raw(`m.${column}`)
    // Departments that differ in case alone are one.
    const isEqual =
      column === 'department' ? Prisma.sql`lower(${held}) = lower(${value})` : Prisma.sql`${held} = ${value}`
    return Prisma.sql`(${value} IS NULL OR ${isEqual})`
  })
  const ids = Prisma.sql`${{ parameter: 'ids' } satisfies Parameter}::text[]`
  const isNamed = Prisma.sql`(${ids} IS NULL OR m.user_id = ANY (${ids}))`
  const words = Prisma.sql`m.email || ' ' || m.first_name || ' ' || m.last_name`
  return Prisma.join([ofOrganization('m'), isShown, ...conditions, isNamed, isFound('m', words)], ' AND ')
}

const listed = {
  alias: 'm',
  from: Prisma.sql`memberships m`,
  text: rowText(userResource),
  order: Prisma.sql`m.ordinal`,
  position: Prisma.sql`m.ordinal::text`,
  isLater: ({ after }: Places<Page>) => Prisma.sql`m.ordinal > ${after}::bigint`,
}

/** Pages of those who are shown and wanted, each of which walks an index of the organization. */
const createList = (name: string, isWanted: Prisma.Sql) => {
  const condition = () => Prisma.sql`${ofOrganization('m')} AND ${isShown} AND ${isWanted}`
  return createPages<Page>(name, { ...listed, condition, keepsPlans: true })
}

const list = createList('list_users', Prisma.sql`true`)
const listOfEmail = createList('list_users_of_email', Prisma.sql`m.email_key = ${emailKey}`)
const search = createPages<Page>('search_users', { ...listed, condition: matches, isSearched: true })

const count = createCount<Pick<Page, 'organizationId'>>('count_users', { ...listed, condition: matches })

/** The values of the parameters of `matches`; those that are absent are null to the statement. */
function valuesOf({ owned, ...values }: UserFilters): Record<string, unknown> {
  return { ...values, ...(owned !== undefined && { [camelCase(`${owned.field.toLowerCase()}_owner`)]: owned.owner }) }
}

/** A page of the members of an organization, in the order of their creation. */
export function readUserPage(
  tables: Tables,
  { filters, after = '0', ...selection }: UserSelection,
): Promise<PageRow | undefined> {
  const { isDeactivated, emailKey, ...others } = filters
  const page = { ...valuesOf(filters), ...selection, after }
  const isPlain = isDeactivated !== true && Object.values(others).every((value) => value === undefined)
  if (!isPlain) return search(tables, page)
  return emailKey === undefined ? list(tables, page) : listOfEmail(tables, page)
}

/** How many members of an organization the filters want. */
export function countUsers(tables: Tables, organizationId: string, filters: UserFilters): Promise<number> {
  return count(tables, { ...valuesOf(filters), organizationId })
}
