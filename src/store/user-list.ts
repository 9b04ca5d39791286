import { Prisma } from '../../gen/prisma/client.js'
import type { FieldOwner, UserRole } from '../../gen/prisma/enums.js'
import { schema } from '../../gen/prisma/schema.js'
import type { Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { searchedText } from './member-name.js'
import { type OwnedField, ownedColumns } from './owned-column.js'
import { createCount, createPages, isFound, type PageRequest, type PageRow } from './pages.js'
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
  readonly emailKeys: readonly string[] | undefined
  readonly owned: { readonly field: OwnedField; readonly owner: FieldOwner } | undefined
}

/** Of which organization, and which of them. */
interface Selection {
  readonly organizationId: string
  readonly filters: UserFilters
}

type Listed = Pick<Selection, 'organizationId'> & Omit<UserFilters, 'owned'>

const isShown = ({ isDeactivated }: Places<Listed>) =>
  Prisma.sql`(${isDeactivated}::bool IS NULL OR (m.deactivated_at IS NOT NULL) = ${isDeactivated})`

const listed = { table: schema.Membership, alias: 'm', text: rowText(userResource), order: ['ordinal'] }

/** Pages of those who are shown, each of which walks an index of the organization. */
const list = createPages<Listed>('list_users', { ...listed, condition: isShown, keepsPlans: true })
const listOfEmail = createPages<Listed>('list_users_of_email', {
  ...listed,
  condition: (places) => Prisma.sql`${isShown(places)} AND m.email_key = ${places.emailKey}`,
  keepsPlans: true,
})

const filtered = {
  ...listed,
  filters: ['email_key', 'role', 'manager_user_id', ...ownedColumns.map((column) => `${column}_owner`)],
  // Departments that differ in case alone are one.
  condition: (places: Places<Listed>) => Prisma.sql`${isShown(places)}
           AND (${places.department}::text IS NULL OR lower(m.department) = lower(${places.department}))
           AND (${places.ids}::text[] IS NULL OR m.user_id = ANY (${places.ids}))
           AND (${places.emailKeys}::text[] IS NULL OR m.email_key = ANY (${places.emailKeys}))
           AND ${isFound('m', searchedText('m'))}`,
}
const search = createPages<Listed>('search_users', { ...filtered, isSearched: true })
const count = createCount<Listed>('count_users', filtered)

function valuesOf({ organizationId, filters: { owned, ...values } }: Selection): Listed {
  const owner = owned && { [`${camelCase(owned.field.toLowerCase())}Owner`]: owned.owner }
  return { organizationId, ...values, ...owner }
}

export function readUserPage(tables: Tables, selection: Selection & PageRequest): Promise<PageRow | undefined> {
  const { isDeactivated, emailKey, ...others } = selection.filters
  const page = { ...valuesOf(selection), after: selection.after, pageSize: selection.pageSize }
  const isPlain = isDeactivated !== true && Object.values(others).every((value) => value === undefined)
  if (!isPlain) return search(tables, page)
  return emailKey === undefined ? list(tables, page) : listOfEmail(tables, page)
}

export function countUsers(tables: Tables, selection: Selection): Promise<number> {
  return count(tables, valuesOf(selection))
}
