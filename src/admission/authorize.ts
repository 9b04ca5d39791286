import { type Caller, type CallerKind, hasPermissionAnywhere, permissionMissing } from '../domain/caller/caller.js'
import { ServiceError } from '../errors.js'
import type { MethodAccess } from './access-rule.js'

const kindNames: Record<CallerKind, string> = {
  organization_api_key: 'organization API keys',
  team_api_key: 'team API keys',
  user: 'user tokens',
  worker: 'worker tokens',
}

/**
 * Refuses a caller whom nothing in the request could admit: one of a kind that the method does not accept, or without
 * the permission anywhere (docs/permissions.md). The method itself checks what the request names.
 */
export function authorize(caller: Caller, access: MethodAccess): void {
  if (!access.callerKinds.has(caller.kind)) {
    const taken = [...access.callerKinds].map((kind) => kindNames[kind]).join(', ')
    const fault = `this method does not accept ${kindNames[caller.kind]}: it accepts ${taken}`
    throw new ServiceError('CREDENTIAL_KIND_UNSUPPORTED', fault)
  }
  if (access.permission === undefined || hasPermissionAnywhere(caller, access.permission)) return
  if (access.userRelationSuffices && caller.kind === 'user') return
  throw permissionMissing(access.permission)
}
