import type { ServiceImpl } from '@connectrpc/connect'
import type { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { ACCESS_TOKEN_SECONDS, type AccessTokenOptions, createAccessToken } from '../domain/auth/access-token.js'
import { clientCredentialsFrom } from '../domain/auth/client-credentials.js'
import { type RevocationOptions, revokeLeakedKey } from '../domain/auth/revocation.js'
import { requestContextOf } from './request-context.js'

/** What the methods of credentials need. */
export interface AuthHandlersOptions extends AccessTokenOptions, RevocationOptions {
  readonly database: AccessTokenOptions['database'] & RevocationOptions['database']
}

/** The methods of `AuthService`. */
export function createAuthHandlers(options: AuthHandlersOptions): ServiceImpl<typeof AuthService> {
  return {
    revokeLeakedKey: async ({ secret }, context) => {
      await revokeLeakedKey(options, secret, requestContextOf(context).requestId)
      return {}
    },
    createToken: async (request, context) => {
      const credentials = clientCredentialsFrom({
        authorization: context.requestHeader.get('authorization') ?? undefined,
        clientId: request.clientId,
        clientSecret: request.clientSecret,
      })
      const accessToken = await createAccessToken(options, credentials)
      context.responseHeader.set('cache-control', 'no-store')
      context.responseHeader.set('pragma', 'no-cache')
      return { accessToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS }
    },
  }
}
