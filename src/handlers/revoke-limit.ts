import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues } from '@connectrpc/connect'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { orUnavailable } from '../domain/auth/revocation.js'
import { type admitRevocation, rateLimited } from '../domain/auth/revoke-limiter.js'
import type { Tally } from './handler-tools.js'
import { requestContextOf } from './request-context.js'

export function isRevocation(method: DescMethod): boolean {
  return method === AuthService.method.revokeLeakedKey
}

/**
 * Makes what counts calls of `RevokeLeakedKey`, and passes others. Every protocol calls it after checking the size and
 * the type of the body and before decoding it, so that malformed requests count. It throws `RATE_LIMITED` or
 * `SERVICE_UNAVAILABLE`.
 */
export function createRevokeCallCounter(admit: typeof admitRevocation, tally?: Tally) {
  const count = async (values: ContextValues): Promise<void> => {
    const { tables, clientAddress } = requestContextOf({ values })
    const waitSeconds = await orUnavailable(admit(tables, clientAddress()))
    tally?.revokeAttempt(waitSeconds === 0)
    if (waitSeconds > 0) throw rateLimited(waitSeconds)
  }
  return ({ method, values }: { readonly method: DescMethod; readonly values: ContextValues }) =>
    isRevocation(method) ? count(values) : undefined
}
