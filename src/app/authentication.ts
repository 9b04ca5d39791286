import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { createAuthenticator, createManagementKeys } from '../domain/auth/authentication.js'
import { createBearerTokens } from '../domain/auth/bearer-token.js'
import { createKeyUses } from '../domain/auth/key-use.js'
import { createOidcSignIn } from '../domain/auth/oidc.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import type { Runtime } from '../runtime/runtime.js'
import type { ServiceTables } from './tables.js'

export type Authentication = ReturnType<typeof createAuthentication>

export function createAuthentication(options: {
  readonly config: Pick<Config, 'peppers' | 'oidc'>
  readonly tables: ServiceTables
  readonly runtime: Runtime
  readonly log: Logger
}) {
  const { config, tables, runtime, log } = options
  const database = tables.credentials
  const hasher = createSecretHasher(config.peppers)
  const keyUses = createKeyUses({ database: tables.shared, runtime, log })
  const bearerTokens = createBearerTokens({ database, runtime })
  const oidc = config.oidc && createOidcSignIn({ ...config.oidc, database, runtime, log })
  return {
    hasher,
    keyUses,
    bearerTokens,
    authenticate: createAuthenticator({ database, hasher, keyUses, bearerTokens, oidc }),
    findDirectory: createManagementKeys({ database, hasher, keyUses, runtime }),
    takesJwt: oidc !== undefined,
  }
}
