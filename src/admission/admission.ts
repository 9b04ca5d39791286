import type { DescMethod } from '@bufbuild/protobuf'
import { type ContextValues, createContextValues } from '@connectrpc/connect'
import { Callers, CredentialKind } from '../../gen/svc/v2/access_pb.js'
import type { Authenticate } from '../domain/auth/authentication.js'
import {
  administratorMissing,
  type Caller,
  type CallTables,
  hasPermissionAnywhere,
  isAdministrator,
  permissionMissing,
  requireWriter,
  type Scope,
} from '../domain/caller/caller.js'
import { ServiceError } from '../errors.js'
import { requestContextKey } from '../handlers/request-context.js'
import { credentialNames } from '../limits/method-rules.js'
import type { UsableRule } from './access-rule.js'
import { bearerTokenFrom, credentialExpired, credentialInvalid } from './bearer.js'
import { credentialFormFault } from './credential-form.js'

/** What admission needs from a request, whatever the protocol. */
export interface Admissible {
  readonly requestId: string
  readonly clientAddress: () => string
  readonly authorization: string | undefined
  /** The `Idempotency-Key` as it was sent. */
  readonly idempotencyKey: string | undefined
  /** The `If-Match` as it was sent. */
  readonly ifMatch: string | undefined
  /** Hands the trace of the call on (W3C Trace Context); absent where it is not traced. */
  readonly traceparent?: string | undefined
  /** Told the id of the caller's key or user once it is known, of callers without the permission too. */
  readonly onCaller?: ((callerId: string) => void) | undefined
  readonly leave: Scope['leave']
  readonly readmit: Scope['readmit']
  /** The tables as the call uses them, on account of the caller's organization. */
  tablesFor(organizationId: string | undefined): CallTables
}

/** What admission depends on. */
export interface AdmissionOptions {
  readonly access: ReadonlyMap<DescMethod, UsableRule>
  readonly authenticate: Authenticate
  readonly runtime: Scope['runtime']
  /** Whether JWTs of an issuer are accepted. Default false. */
  readonly takesJwt?: boolean
}

/**
 * The part of the interceptor list that runs before a body is read, so that nothing from a stranger is parsed: first
 * authenticate, then authorize, from the header alone. Throws a `ServiceError` for a caller that it refuses.
 */
export function createAdmission({ access, authenticate, runtime, takesJwt = false }: AdmissionOptions) {
  return async (method: DescMethod, request: Admissible): Promise<ContextValues> => {
    const rule = access.get(method)
    if (rule === undefined) throw new Error(`${method.parent.typeName}.${method.name} is served without an access rule`)
    let caller: Caller | undefined
    if (!rule.anonymous) {
      const token = bearerTokenFrom(request.authorization)
      const holder = await authenticate(token, request)
      if (holder === 'expired') throw credentialExpired()
      if (holder === undefined) throw credentialInvalid(credentialFormFault(token, takesJwt))
      caller = holder
      request.onCaller?.(caller.id)
      authorize(caller, rule)
    }
    const { requestId, idempotencyKey, ifMatch, clientAddress, leave, readmit } = request
    const tables = request.tablesFor(caller?.organizationId)
    const scope = { runtime, requestId, caller, clientAddress, idempotencyKey, ifMatch, leave, readmit, ...tables }
    return createContextValues().set(requestContextKey, scope)
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
