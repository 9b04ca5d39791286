import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { type AccessRule, Callers, CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { type CallerKind, type Permission, permissions } from '../domain/caller/caller.js'
import { accessRuleOf } from '../limits/method-rules.js'

/** Who may call a method, as its `svc.v2.access` option declares, or that of its service. */
export interface MethodAccess {
  /** True if credentials are ignored. */
  readonly anonymous: boolean
  /** The kinds of caller that the method accepts. */
  readonly callerKinds: ReadonlySet<CallerKind>
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
  const callerKinds = new Set<CallerKind>()
  const rule = { permission: undefined, administrators: false, writers: false, userRelationSuffices: false }
  const open: MethodAccess = { anonymous: true, callerKinds, ...rule }
  return new Map([...services].flatMap((service) => service.methods.map((method) => [method, open] as const)))
}

function methodAccessFrom(rule: AccessRule): MethodAccess | string {
  const callerKinds = new Set<CallerKind>()
  for (const kind of rule.credentialKinds) {
    const callerKind = callerKindOf.get(kind)
    if (callerKind === undefined) return 'names an unknown kind of credential'
    callerKinds.add(callerKind)
  }
  const permission = permissions.find((known) => known === rule.permission)
  const { anonymous, callers, userRelationSuffices } = rule
  const namesCallers = callers !== Callers.UNSPECIFIED
  if (anonymous) {
    if (callerKinds.size > 0 || rule.permission !== '' || namesCallers) return 'is anonymous and names credentials'
  } else {
    if (callerKinds.size === 0) return 'has no svc.v2.access option that names a kind of credential'
    if (namesCallers && rule.permission !== '') return 'names callers and a permission'
    if (!namesCallers && permission === undefined) return `names no known permission (${rule.permission})`
  }
  const administrators = callers === Callers.ADMINISTRATORS
  const writers = callers === Callers.WRITERS
  return { anonymous, callerKinds, permission, administrators, writers, userRelationSuffices }
}

const callerKindOf: ReadonlyMap<CredentialKind, CallerKind> = new Map([
  [CredentialKind.ORGANIZATION_API_KEY, 'organization_api_key'],
  [CredentialKind.TEAM_API_KEY, 'team_api_key'],
  [CredentialKind.USER_TOKEN, 'user'],
  [CredentialKind.WORKER_TOKEN, 'worker'],
])
