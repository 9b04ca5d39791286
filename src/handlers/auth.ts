import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues, ServiceImpl } from '@connectrpc/connect'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { clientCredentialsFrom, createAccessToken } from '../domain/auth/access-token.js'
import { orUnavailable, revokeLeakedKey } from '../domain/auth/revocation.js'
import { type admitRevocation, rateLimited } from '../domain/auth/revoke-limiter.js'
import type { HandlerTools, Tally } from './handler-tools.js'
import { requestContextOf } from './request-context.js'

export function createAuthHandlers({ tally, ...tools }: HandlerTools): ServiceImpl<typeof AuthService> {
  return {
    revokeLeakedKey: async ({ secret }, context) => {
      const { tables, runtime, requestId } = requestContextOf(context)
      const keys = await revokeLeakedKey({ ...tools, database: tables, runtime }, secret, requestId)
      tally?.keysRevoked(keys)
      return {}
    },
    createToken: async (request, context) => {
      const { tables } = requestContextOf(context)
      const credentials = clientCredentialsFrom({
        authorization: context.requestHeader.get('authorization') ?? undefined,
        clientId: request.clientId,
        clientSecret: request.clientSecret,
      })
      const { token, seconds } = await createAccessToken({ ...tools, database: tables }, credentials)
      tally?.sessionCreated()
      context.responseHeader.set('cache-control', 'no-store')
      context.responseHeader.set('pragma', 'no-cache')
      return { accessToken: token, tokenType: 'Bearer', expiresIn: seconds }
    },
  }
}

export function isRevocation(method: DescMethod): boolean {
  return method === AuthService.method.revokeLeakedKey
}

/**
 * Makes the hook that counts calls of `RevokeLeakedKey`, and ignores other methods. Every protocol calls it after
 * checking the size and the type of the body and before decoding it, so that malformed requests count. It throws
 * `RATE_LIMITED` or `SERVICE_UNAVAILABLE`.
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
