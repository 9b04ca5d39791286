import type { DescMethod } from '@bufbuild/protobuf'
import { Callers, CredentialKind } from '../../gen/svc/v2/access_pb.js'
import type { Authenticate } from '../domain/auth/authentication.js'
import type { SignInCall } from '../domain/auth/oidc.js'
import {
  administratorMissing,
  type Caller,
  hasPermissionAnywhere,
  isAdministrator,
  permissionMissing,
  requireWriter,
} from '../domain/caller/caller.js'
import { ServiceError } from '../errors.js'
import { credentialNames } from '../limits/method-rules.js'
import type { UsableRule } from './access-rule.js'
import { bearerTokenFrom, credentialExpired, credentialInvalid } from './bearer.js'
import { credentialFormFault } from './credential-form.js'

/** The parts of a request that admission reads, over any protocol. */
export interface Admissible extends SignInCall {
  readonly authorization: string | undefined
  /** Called with the id of the caller's key or user once it is known, of callers without the permission too. */
  readonly onCaller?: ((callerId: string) => void) | undefined
}

/** The dependencies of admission. */
export interface AdmissionOptions {
  readonly access: ReadonlyMap<DescMethod, UsableRule>
  readonly authenticate: Authenticate
  /** Whether JWTs of an issuer are accepted. Default false. */
  readonly takesJwt?: boolean
}

/**
 * Makes admission, which runs before a body is read, so that nothing from a stranger is parsed: it authenticates, then
 * authorizes, by the header alone. It returns the caller, or undefined where anyone may call. Throws a `ServiceError`
 * for a caller that it refuses.
 */
export function createAdmission({ access, authenticate, takesJwt = false }: AdmissionOptions) {
  return async (method: DescMethod, request: Admissible): Promise<Caller | undefined> => {
    const rule = access.get(method)
    if (rule === undefined) throw new Error(`${method.parent.typeName}.${method.name} is served without an access rule`)
    if (rule.anonymous) return undefined
    const token = bearerTokenFrom(request.authorization)
    const caller = await authenticate(token, request)
    if (caller === 'expired') throw credentialExpired()
    if (caller === undefined) throw credentialInvalid(credentialFormFault(token, takesJwt))
    request.onCaller?.(caller.id)
    authorize(caller, rule)
    return caller
  }
}

/**
 * Refuses a caller whom nothing in the request could admit: one of a kind that the method does not accept, no
 * administrator where one is needed, or without the permission anywhere (docs/permissions.md). The method itself checks
 * what the request names.
 */
export function authorize(caller: Caller, rule: UsableRule): void {
  const { credentialKinds, callers, permission, userRelationSuffices } = rule
  const kind = CredentialKind[caller.kind]
  if (!credentialKinds.includes(kind)) {
    const taken = credentialKinds.map((each) => credentialNames.get(each)).join(', ')
    const fault = `this method does not accept ${credentialNames.get(kind)}: it accepts ${taken}`
    throw new ServiceError('CREDENTIAL_KIND_UNSUPPORTED', fault)
  }
  if (callers === Callers.ADMINISTRATORS && !isAdministrator(caller)) throw administratorMissing('call this method')
  if (callers === Callers.WRITERS) requireWriter(caller)
  if (permission === '' || hasPermissionAnywhere(caller, permission)) return
  if (userRelationSuffices && caller.kind === 'USER_TOKEN') return
  throw permissionMissing(permission)
}
