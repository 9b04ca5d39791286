import type { ServiceImpl } from '@connectrpc/connect'
import type { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { clientCredentialsFrom, createAccessToken } from '../domain/auth/access-token.js'
import { revokeLeakedKey } from '../domain/auth/revocation.js'
import type { HandlerTools } from './handler-tools.js'
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
