import type { Runtime } from '../../runtime/runtime.js'

/** Prefix of the access tokens of API keys. */
export const ACCESS_TOKEN_PREFIX = 'svc_token_'
/** Prefix of opaque user tokens. */
export const USER_TOKEN_PREFIX = 'svc_user_'

/** Makes an opaque token: the prefix and 256 random bits in base64url. */
export function createOpaqueToken(prefix: string, runtime: Pick<Runtime, 'randomBytes'>): string {
  return prefix + Buffer.from(runtime.randomBytes(32)).toString('base64url')
}
