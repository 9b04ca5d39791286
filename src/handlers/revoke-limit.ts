import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues } from '@connectrpc/connect'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import type { Tables } from '../db/tables.js'
import { orUnavailable } from '../domain/auth/revocation.js'
import { type Admission, rateLimited } from '../domain/auth/revoke-limiter.js'
import type { Tally } from './handler-tools.js'
import { requestContextOf } from './request-context.js'

/** Counts a call of `RevokeLeakedKey`; other methods pass. Throws `RATE_LIMITED` or `SERVICE_UNAVAILABLE`. */
export type CountRevokeCall = (method: DescMethod, values: ContextValues) => Promise<void>

/** Whether a method reports a leaked key. */
export function isRevocation(method: DescMethod): boolean {
  return method === AuthService.method.revokeLeakedKey
}

/**
 * Makes the counter. Every door calls it after checking the size and the type of the body and before decoding it, so
 * that malformed requests count.
 */
export function createRevokeCallCounter(
  admit: (tables: Tables, clientAddress: string) => Promise<Admission>,
  tally?: Tally,
): CountRevokeCall {
  return async (method, values) => {
    if (!isRevocation(method)) return
    const { tables, clientAddress } = requestContextOf({ values })
    const admission = await orUnavailable(admit(tables, clientAddress()))
    tally?.revokeAttempt(admission.allowed)
    if (!admission.allowed) throw rateLimited(admission.retryAfterSeconds)
  }
}
