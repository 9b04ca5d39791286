import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { type AccessRule, Callers, type CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { type Permission, permissions } from '../domain/caller/caller.js'
import { accessRuleOf, credentialNames } from '../limits/method-rules.js'

/** Who may call a method, as its `svc.v2.access` option declares, or that of its service. */
export interface MethodAccess {
  /** True if credentials are ignored. */
  readonly anonymous: boolean
  /** The kinds of credential that the method accepts. */
  readonly credentialKinds: ReadonlySet<CredentialKind>
  /** What the caller must have; `undefined` if `anonymous`, and for methods that name their callers. */
  readonly permission: Permission | undefined
  /** Whether the caller must be an administrator. */
  readonly administrators: boolean
  /** Whether the caller must be one, or an organization key that can write everything. */
  readonly writers: boolean
  /** Whether a user may be admitted because of what the request names; the method then decides. */
  readonly userRelationSuffices: boolean
}

/**
 * The access rules of every method of the services. Throws one error that names all methods without a usable rule,
 * because they must not be served.
 */
export function methodAccessOf(services: Iterable<DescService>): ReadonlyMap<DescMethod, MethodAccess> {
  const rules = new Map<DescMethod, MethodAccess>()
  const faults: string[] = []
  for (const service of services) {
    for (const method of service.methods) {
      const rule = methodAccessFrom(accessRuleOf(method))
      if (typeof rule === 'string') faults.push(`${service.typeName}.${method.name} ${rule}`)
      else rules.set(method, rule)
    }
  }
  if (faults.length > 0) throw new Error(`methods without an access rule: ${faults.join('; ')}`)
  return rules
}

/**
 * Open access to every method of services that are not ours: they cannot carry our option, and hold no tenant's data.
 */
export function anonymousAccessOf(services: Iterable<DescService>): ReadonlyMap<DescMethod, MethodAccess> {
  const rule = { permission: undefined, administrators: false, writers: false, userRelationSuffices: false }
  const open: MethodAccess = { anonymous: true, credentialKinds: new Set(), ...rule }
  return new Map([...services].flatMap((service) => service.methods.map((method) => [method, open] as const)))
}

function methodAccessFrom(rule: AccessRule): MethodAccess | string {
  const credentialKinds = new Set(rule.credentialKinds)
  if ([...credentialKinds].some((kind) => !credentialNames.has(kind))) return 'names an unknown kind of credential'
  const permission = permissions.find((known) => known === rule.permission)
  const { anonymous, callers, userRelationSuffices } = rule
  const namesCallers = callers !== Callers.UNSPECIFIED
  if (anonymous) {
    if (credentialKinds.size > 0 || rule.permission !== '' || namesCallers) return 'is anonymous and names credentials'
  } else {
    if (credentialKinds.size === 0) return 'has no svc.v2.access option that names a kind of credential'
    if (namesCallers && rule.permission !== '') return 'names callers and a permission'
    if (!namesCallers && permission === undefined) return `names no known permission (${rule.permission})`
  }
  const administrators = callers === Callers.ADMINISTRATORS
  const writers = callers === Callers.WRITERS
  return { anonymous, credentialKinds, permission, administrators, writers, userRelationSuffices }
}
