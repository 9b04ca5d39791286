import type { ServiceImpl } from '@connectrpc/connect'
import type { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { type AccessTokenOptions, createAccessToken } from '../domain/auth/access-token.js'
import { clientCredentialsFrom } from '../domain/auth/client-credentials.js'
import { type RevocationOptions, revokeLeakedKey } from '../domain/auth/revocation.js'
import { onDatabaseOf } from './call-database.js'
import { requestContextOf } from './request-context.js'
import type { Tally } from './tally.js'

/** What the methods of credentials need. */
export interface AuthHandlersOptions extends AccessTokenOptions, RevocationOptions {
  readonly database: AccessTokenOptions['database'] & RevocationOptions['database']
  readonly tally?: Tally | undefined
}

/** The methods of `AuthService`. */
export function createAuthHandlers(options: AuthHandlersOptions): ServiceImpl<typeof AuthService> {
  const { tally } = options
  const revocation = { ...options, onRevoked: (keys: number) => tally?.keysRevoked(keys) }
  return {
    revokeLeakedKey: async ({ secret }, context) => {
      await revokeLeakedKey(onDatabaseOf(context, revocation), secret, requestContextOf(context).requestId)
      return {}
    },
    createToken: async (request, context) => {
      const credentials = clientCredentialsFrom({
        authorization: context.requestHeader.get('authorization') ?? undefined,
        clientId: request.clientId,
        clientSecret: request.clientSecret,
      })
      const { token, seconds } = await createAccessToken(onDatabaseOf(context, options), credentials)
      tally?.sessionCreated()
      context.responseHeader.set('cache-control', 'no-store')
      context.responseHeader.set('pragma', 'no-cache')
      return { accessToken: token, tokenType: 'Bearer', expiresIn: seconds }
    },
  }
}
