import type { Tables } from '../../db/tables.js'
import { invalidField, notFound } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { hasActiveMember } from '../../store/member.js'
import { insertUserToken } from '../../store/user-token.js'
import { type BearerTokens, USER_TOKEN_PREFIX } from './bearer-token.js'
import type { SecretHasher } from './secret-hash.js'

/** How long a user token lasts by default, in seconds: 8 hours. */
export const DEFAULT_USER_TOKEN_SECONDS = 8 * 3600
/** How long a user token may last, in seconds: 90 days. */
export const MAX_USER_TOKEN_SECONDS = 90 * 24 * 3600

/** Whose token is to be made, and how long it lasts. */
export interface UserTokenRequest {
  readonly userId: string
  readonly organizationId: string
  /** Default: 8 hours; at most 90 days. */
  readonly ttlSeconds?: number | undefined
}

/** A user token; shown once. */
export interface UserToken {
  readonly token: string
  readonly expiresAt: Date
}

/** What making user tokens needs. */
export interface UserTokenOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly bearerTokens: BearerTokens
  readonly runtime: Runtime
}

/** Makes a token for an active member of an organization. Throws `RESOURCE_NOT_FOUND` if there is no such member. */
export async function createUserToken(options: UserTokenOptions, request: UserTokenRequest): Promise<UserToken> {
  const { database, hasher, bearerTokens, runtime } = options
  const { userId, organizationId, ttlSeconds = DEFAULT_USER_TOKEN_SECONDS } = request
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_USER_TOKEN_SECONDS) {
    throw invalidField('ttl', `must be from 1s to ${MAX_USER_TOKEN_SECONDS / 86_400}d`)
  }
  if (!(await hasActiveMember(database, organizationId, userId))) throw notFound('active member', userId)
  const token = await bearerTokens.issue(USER_TOKEN_PREFIX, organizationId)
  const expiresAt = new Date(runtime.now().getTime() + ttlSeconds * 1000)
  await insertUserToken(database, { tokenHash: hasher.hash(token), organizationId, userId, expiresAt })
  return { token, expiresAt }
}
