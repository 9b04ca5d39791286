import { create, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { type AccessRule, AccessRuleSchema, Callers } from '../../gen/svc/v2/access_pb.js'
import { type Permission, permissions } from '../domain/caller/caller.js'
import { accessRuleOf, credentialNames } from '../limits/method-rules.js'

/** A rule without faults. */
export type UsableRule = AccessRule & { readonly permission: Permission | '' }

/**
 * The access rules of every method of the services. Throws one error that names all methods without a usable rule,
 * because they must not be served. The `open` services are not ours: they cannot carry our option, and have no tenant's
 * data.
 */
export function accessRulesOf(
  services: readonly DescService[],
  open: readonly DescService[] = [],
): ReadonlyMap<DescMethod, UsableRule> {
  const rules = new Map(services.flatMap(({ methods }) => methods).map((method) => [method, accessRuleOf(method)]))
  const faults = [...rules].flatMap(([{ parent, name }, rule]) => {
    const fault = faultOf(rule)
    return fault === undefined ? [] : `${parent.typeName}.${name} ${fault}`
  })
  if (faults.length > 0) throw new Error(`methods without an access rule: ${faults.join('; ')}`)
  const anonymous = create(AccessRuleSchema, { anonymous: true })
  for (const method of open.flatMap(({ methods }) => methods)) rules.set(method, anonymous)
  return rules as ReadonlyMap<DescMethod, UsableRule>
}

function faultOf({ anonymous, callers, credentialKinds, permission }: AccessRule): string | undefined {
  if (credentialKinds.some((kind) => !credentialNames.has(kind))) return 'names an unknown kind of credential'
  const namesCallers = callers !== Callers.UNSPECIFIED
  const namesPermission = permission !== ''
  if (anonymous) {
    const namesAny = credentialKinds.length > 0 || namesPermission || namesCallers
    return namesAny ? 'is anonymous and names credentials' : undefined
  }
  if (credentialKinds.length === 0) return 'has no svc.v2.access option'
  if (namesCallers) return namesPermission ? 'names callers and a permission' : undefined
  return permissions.some((known) => known === permission) ? undefined : `names no known permission (${permission})`
}
