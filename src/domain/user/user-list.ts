import type { UserRole } from '../../../gen/prisma/enums.js'
import { refuseViolations } from '../../errors.js'
import { printDepartmentOptions } from '../../store/department-option.js'
import { countUsers, readUserPage, type UserFilters } from '../../store/user-list.js'
import type { Scope } from '../caller/scope.js'
import { type PageQuery, type PageTokens, pageSizeFrom } from '../paging.js'
import type { FieldOwner, GovernedField } from '../profile/field-ownership.js'
import type { StandardPage } from '../standard-methods.js'
import { emailKeyOf } from '../value/email-address.js'

/** Which users to list; 0, empty texts and undefined values mean absent. */
export interface UserListRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeDeactivated: boolean
  readonly email: string
  readonly includeTotal?: boolean
  readonly isDeactivated?: boolean | undefined
  readonly q?: string
  readonly department?: string
  readonly role?: UserRole | undefined
  readonly managerUserId?: string
  readonly field?: GovernedField | undefined
  readonly owner?: FieldOwner | undefined
}

/**
 * A page of the members of the caller's organization that all filters match, in the order of their creation. Throws
 * `PAGE_TOKEN_INVALID`, and `FIELD_REQUIRED` for a field without an owner, or the reverse.
 */
export async function listUsers(
  { reads, caller: { organizationId } }: Scope,
  request: UserListRequest,
  pageTokens: PageTokens,
): Promise<StandardPage> {
  const filters = filtersOf(request)
  const { owned, emailKey: email, isDeactivated, ...values } = filters
  const given = Object.entries({ email, ...values, ...owned }).filter(([, value]) => value !== undefined)
  const includeDeactivated = String(isDeactivated === undefined || (isDeactivated && 'only'))
  const filter = { includeDeactivated, ...Object.fromEntries(given) }
  const query: PageQuery = { method: 'ListUsers', organizationId, filter }
  const after = (await pageTokens.read(query, request.pageToken)) ?? '0'
  const pageSize = pageSizeFrom(request.pageSize)
  const page = await readUserPage(reads, { organizationId, after, filters, pageSize })
  const last = page?.hasMore === true ? page.lastOrdinal : null
  return {
    items: page?.items ?? '',
    nextPageToken: last === null ? '' : await pageTokens.issue(query, String(last)),
    totalSize: request.includeTotal === true ? await countUsers(reads, organizationId, filters) : undefined,
  }
}

function filtersOf({ field, owner, q = '', ...request }: UserListRequest): UserFilters {
  if ((field === undefined) !== (owner === undefined)) {
    const [missing, given] = field === undefined ? ['field', 'owner'] : ['owner', 'field']
    refuseViolations([{ field: missing, description: `is required with ${given}`, reason: 'FIELD_REQUIRED' }])
  }
  return {
    isDeactivated: request.isDeactivated ?? (request.includeDeactivated ? undefined : false),
    emailKey: request.email === '' ? undefined : emailKeyOf(request.email),
    prefix: q.trimStart() || undefined,
    department: request.department || undefined,
    role: request.role,
    managerUserId: request.managerUserId || undefined,
    owned: field === undefined || owner === undefined ? undefined : { field, owner },
  }
}

/** The JSON of the departments of the caller's organization, by name in the order of code points. */
export function listDepartmentOptions({ reads, caller }: Scope): Promise<string> {
  return printDepartmentOptions(reads, caller.organizationId)
}
