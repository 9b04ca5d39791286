import type { ServiceImpl } from '@connectrpc/connect'
import type { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { ACCESS_TOKEN_SECONDS, type AccessTokenOptions, createAccessToken } from '../domain/access-token.js'
import { clientCredentialsFrom } from '../domain/client-credentials.js'
import { ServiceError } from '../errors.js'

/** What the methods of credentials need. */
export type AuthHandlersOptions = AccessTokenOptions

/** The methods of `AuthService`. */
export function createAuthHandlers(options: AuthHandlersOptions): Partial<ServiceImpl<typeof AuthService>> {
  return {
    createToken: async (request, context) => {
      if (request.grantType !== 'client_credentials') {
        throw new ServiceError('GRANT_TYPE_UNSUPPORTED', 'grant_type must be client_credentials')
      }
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
