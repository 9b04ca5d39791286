import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner, UserRole } from '../../gen/prisma/enums.js'
import { schema } from '../../gen/prisma/schema.js'
import type { Parameter } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type OwnedField, ownedPlaces } from './owned-column.js'
import { createCount, createPages, isFound, type PageRow } from './pages.js'
import { rowText } from './resource/print.js'
import { camelCase } from './resource/resource.js'
import { userResource } from './user.js'

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

export interface UserSelection {
  readonly organizationId: string
  /** The ordinal of the member before the page; undefined for the first one. */
  readonly after: string | undefined
  readonly filters: UserFilters
  readonly pageSize: number
}

/** The columns to filter by; departments that differ in case alone are one. */
const filters = [
  'email_key',
  'role',
  'manager_user_id',
  ...ownedPlaces.map(({ field }) => `${field.toLowerCase()}_owner`),
]

const emailKey: Parameter = { parameter: 'emailKey' }
const isDeactivated = Prisma.sql`${{ parameter: 'isDeactivated' } satisfies Parameter}::bool`
const isShown = Prisma.sql`(${isDeactivated} IS NULL OR (m.deactivated_at IS NOT NULL) = ${isDeactivated})`

const department = Prisma.sql`${{ parameter: 'department' } satisfies Parameter}::text`
const ids = Prisma.sql`${{ parameter: 'ids' } satisfies Parameter}::text[]`
const isFiltered = Prisma.sql`${isShown}
           AND (${department} IS NULL OR lower(m.department) = lower(${department}))
           AND (${ids} IS NULL OR m.user_id = ANY (${ids}))
           AND ${isFound('m', Prisma.sql`m.email || ' ' || m.first_name || ' ' || m.last_name`)}`

const listed = { table: schema.Membership, alias: 'm', text: rowText(userResource), order: ['ordinal'] }

type Of = Pick<UserSelection, 'organizationId'>

/** Pages of those who are shown and wanted, each of which walks an index of the organization. */
const createList = (name: string, isWanted: Prisma.Sql) =>
  createPages<Of>(name, { ...listed, condition: () => Prisma.sql`${isShown} AND ${isWanted}`, keepsPlans: true })

const list = createList('list_users', Prisma.sql`true`)
const listOfEmail = createList('list_users_of_email', Prisma.sql`m.email_key = ${emailKey}`)
const filtered = { ...listed, filters, condition: () => isFiltered }
const search = createPages<Of>('search_users', { ...filtered, isSearched: true })
const count = createCount<Of>('count_users', filtered)

/** The values of the parameters; those that are absent are null to the statement. */
function valuesOf({ owned, ...values }: UserFilters): Record<string, unknown> {
  return { ...values, ...(owned !== undefined && { [camelCase(`${owned.field.toLowerCase()}_owner`)]: owned.owner }) }
}

export function readUserPage(tables: Tables, { filters, ...selection }: UserSelection): Promise<PageRow | undefined> {
  const { isDeactivated, emailKey, ...others } = filters
  const page = { ...valuesOf(filters), ...selection }
  const isPlain = isDeactivated !== true && Object.values(others).every((value) => value === undefined)
  if (!isPlain) return search(tables, page)
  return emailKey === undefined ? list(tables, page) : listOfEmail(tables, page)
}

export function countUsers(tables: Tables, organizationId: string, filters: UserFilters): Promise<number> {
  return count(tables, { ...valuesOf(filters), organizationId })
}
