import { printDepartmentOptions } from '../../store/department-option.js'
import { readUserPage } from '../../store/user-list.js'
import type { Scope } from '../caller/scope.js'
import { type Page, type PageQuery, type PageTokens, pageSizeFrom } from '../paging.js'
import { emailKeyOf } from '../value/email-address.js'

/** Which users to list; 0 and an empty token mean absent. */
export interface UserListRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeDeactivated: boolean
  /** Empty for all. */
  readonly email: string
}

/**
 * A page of the members of the caller's organization, in the order of their creation. Throws
 * `PAGE_TOKEN_INVALID`.
 */
export async function listUsers(
  { reads, caller: { organizationId } }: Scope,
  request: UserListRequest,
  pageTokens: PageTokens,
): Promise<Page> {
  const pageSize = pageSizeFrom(request.pageSize)
  const { includeDeactivated } = request
  const emailKey = request.email === '' ? undefined : emailKeyOf(request.email)
  const query: PageQuery = {
    method: 'ListUsers',
    organizationId,
    filter: { includeDeactivated: String(includeDeactivated), ...(emailKey !== undefined && { email: emailKey }) },
  }
  const after = (await pageTokens.read(query, request.pageToken)) ?? '0'
  const page = await readUserPage(reads, { organizationId, after, includeDeactivated, emailKey, pageSize })
  const last = page?.hasMore === true ? page.lastOrdinal : null
  return { items: page?.items ?? '', nextPageToken: last === null ? '' : await pageTokens.issue(query, String(last)) }
}

/** The JSON of the departments of the caller's organization, by name in the order of code points. */
export function listDepartmentOptions({ reads, caller }: Scope): Promise<string> {
  return printDepartmentOptions(reads, caller.organizationId)
}
