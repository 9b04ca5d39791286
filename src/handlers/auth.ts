import type { ServiceImpl } from '@connectrpc/connect'
import type { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { type AccessTokenOptions, clientCredentialsFrom, createAccessToken } from '../domain/auth/access-token.js'
import { type RevocationOptions, revokeLeakedKey } from '../domain/auth/revocation.js'
import { requestContextOf } from './request-context.js'
import type { Tally } from './tally.js'

/** What the methods of credentials need. */
export interface AuthHandlersOptions extends Omit<AccessTokenOptions & RevocationOptions, 'database'> {
  readonly tally?: Tally | undefined
}

/** The methods of `AuthService`. */
export function createAuthHandlers(options: AuthHandlersOptions): ServiceImpl<typeof AuthService> {
  const { tally } = options
  return {
    revokeLeakedKey: async ({ secret }, context) => {
      const { tables, requestId } = requestContextOf(context)
      const keys = await revokeLeakedKey({ ...options, database: tables }, secret, requestId)
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
      const { token, seconds } = await createAccessToken({ ...options, database: tables }, credentials)
      tally?.sessionCreated()
      context.responseHeader.set('cache-control', 'no-store')
      context.responseHeader.set('pragma', 'no-cache')
      return { accessToken: token, tokenType: 'Bearer', expiresIn: seconds }
    },
  }
}
