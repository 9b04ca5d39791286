import { FieldOwner, UserProfileField } from '../../../../gen/svc/v2/user_pb.js'
import type { Search } from '../../ui/address.js'

const PAGE_SIZE = 100

/** The request for the list of people by what the address says. */
export function peopleRequest(filters: Search) {
  const { q = '', department = '', state } = filters
  const owner: FieldOwner = Number(filters['owner'] ?? FieldOwner.UNSPECIFIED)
  const field: UserProfileField = Number(filters['field'] ?? UserProfileField.UNSPECIFIED)
  // The service takes both of them or none.
  const isOwnerAsked = owner !== FieldOwner.UNSPECIFIED && field !== UserProfileField.UNSPECIFIED
  return {
    pageSize: PAGE_SIZE,
    q,
    department,
    role: Number(filters['role'] ?? 0),
    managerUserId: filters['manager'] ?? '',
    ...(isOwnerAsked && { owner, field }),
    includeDeactivated: state === 'all',
    ...(state === 'deactivated' && { isDeactivated: true }),
  }
}
