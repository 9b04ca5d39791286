import type { UserRole } from '../../../gen/prisma/enums.js'
import { invalidField, refuseViolations } from '../../errors.js'
import { MAX_PAGE_SIZE } from '../../limits/known-limits.js'
import { printDepartmentOptions } from '../../store/department-option.js'
import { countUsers, readUserPage, type UserFilters } from '../../store/user-list.js'
import type { CallContext } from '../caller/caller.js'
import { type Page, type PageRequest, pageOf } from '../paging.js'
import type { FieldOwner, GovernedField } from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'

/** Which users to list; 0, empty texts and undefined values mean absent. */
export interface UserListRequest extends PageRequest {
  readonly includeDeactivated: boolean
  readonly email: string
  readonly isDeactivated?: boolean | undefined
  readonly q?: string
  readonly department?: string
  readonly role?: UserRole | undefined
  readonly managerUserId?: string
  readonly ids?: readonly string[]
  readonly emails?: readonly string[]
  readonly field?: GovernedField | undefined
  readonly owner?: FieldOwner | undefined
}

/**
 * A page of the members of the caller's organization that all filters match, in the order of their creation. Throws
 * `PAGE_TOKEN_INVALID`, and `FIELD_REQUIRED` for a field without an owner, or the reverse.
 */
export async function listUsers(context: CallContext, request: UserListRequest): Promise<Page> {
  const { reads, caller } = context
  const { organizationId } = caller
  const filters = filtersOf(request)
  const { owned, emailKey: email, isDeactivated, ids, emailKeys, ...values } = filters
  const lists = { ids: ids?.join(' '), emails: emailKeys?.join(' ') }
  const given = Object.entries({ email, ...lists, ...values, ...owned }).filter(([, value]) => value !== undefined)
  const includeDeactivated = String(isDeactivated === undefined || (isDeactivated && 'only'))
  return pageOf(context, request, {
    method: 'ListUsers',
    filter: { includeDeactivated, ...Object.fromEntries(given) },
    usualSize: MAX_PAGE_SIZE,
    read: (range) => readUserPage(reads, { organizationId, filters, ...range }),
    count: () => countUsers(reads, { organizationId, filters }),
  })
}

function filtersOf({ field, owner, q = '', ids = [], emails = [], ...request }: UserListRequest): UserFilters {
  if ((field === undefined) !== (owner === undefined)) {
    const [missing, given] = field === undefined ? ['field', 'owner'] : ['owner', 'field']
    refuseViolations([{ field: missing, description: `is required with ${given}`, reason: 'FIELD_REQUIRED' }])
  }
  for (const [name, values] of Object.entries({ id: ids, email: emails })) {
    const several = values.findIndex((value) => value.includes(','))
    if (several >= 0)
      throw invalidField(`${name}s[${several}]`, `is no ${name}: give each value by itself, without commas`)
  }
  // A bare plus in a query is a blank.
  if (/\S \S/.test(request.email)) throw invalidField('email', 'is no address: in a URL, write + as %2B')
  return {
    isDeactivated: request.isDeactivated ?? (request.includeDeactivated ? undefined : false),
    emailKey: request.email === '' ? undefined : emailKeyOf(request.email),
    q: q.trim() || undefined,
    department: request.department?.normalize('NFC').trim() || undefined,
    role: request.role,
    managerUserId: request.managerUserId || undefined,
    ids: ids.length > 0 ? ids : undefined,
    emailKeys: emails.length > 0 ? emails.map(emailKeyOf) : undefined,
    owned: field === undefined || owner === undefined ? undefined : { field, owner },
  }
}

/** The JSON of the departments of the caller's organization, by name in the order of code points. */
export async function listDepartmentOptions({ reads, caller }: CallContext): Promise<string> {
  const { organizationId } = caller
  return (await printDepartmentOptions(reads, { organizationId }))?.json ?? '[]'
}
