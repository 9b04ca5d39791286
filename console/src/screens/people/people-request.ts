import type { Search } from '../../ui/address.js'

/** The request for the list of people by what the address says. */
export function peopleRequest({ q = '', department = '', role = '0', manager = '', owned = '', state }: Search) {
  const [field, owner] = owned.split('.').map(Number)
  return {
    pageSize: 100,
    q,
    department,
    role: Number(role),
    managerUserId: manager,
    ...(owned && { owner: owner ?? 0, field: field ?? 0 }),
    includeDeactivated: state === 'all',
    ...(state === 'deactivated' && { isDeactivated: true }),
  }
}
