import type { Tables } from '../../db/tables.js'
import { invalidField, notFound } from '../../errors.js'
import { hasActiveMember } from '../../store/member.js'
import { deleteUserToken, findUserTokens, insertUserToken, type UserTokenSelection } from '../../store/user-token.js'
import { type AuditEvent, recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { type CredentialTools, USER_TOKEN_PREFIX } from './bearer-token.js'

/** How long a user token lasts by default, in seconds: 8 hours. */
export const DEFAULT_USER_TOKEN_SECONDS = 8 * 3600
/** How long a user token may last, in seconds: 90 days. */
export const MAX_USER_TOKEN_SECONDS = 90 * 24 * 3600

export interface UserTokenRequest {
  readonly userId: string
  readonly organizationId: string
  /** Default: 8 hours; at most 90 days. */
  readonly ttlSeconds?: number | undefined
}

export interface UserToken {
  readonly token: string
  readonly expiresAt: Date
}

/** Makes a token for an active member of an organization. Throws `RESOURCE_NOT_FOUND` if there is no such member. */
export async function createUserToken(
  options: Omit<CredentialTools, 'keyUses'>,
  request: UserTokenRequest,
): Promise<UserToken> {
  const { database, hasher, bearerTokens, runtime } = options
  const { userId, organizationId, ttlSeconds = DEFAULT_USER_TOKEN_SECONDS } = request
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_USER_TOKEN_SECONDS) {
    throw invalidField('ttl', `must be from 1s to ${MAX_USER_TOKEN_SECONDS / 86_400}d`)
  }
  if (!(await hasActiveMember(database, organizationId, userId))) throw notFound('active member', userId)
  const token = await bearerTokens.issue(USER_TOKEN_PREFIX, organizationId)
  const createdAt = runtime.now()
  const expiresAt = new Date(createdAt.getTime() + ttlSeconds * 1000)
  await insertUserToken(database, { tokenHash: hasher.hash(token), organizationId, userId, createdAt, expiresAt })
  return { token, expiresAt }
}

/** A user token without its secret. `id` is the hash under which it is stored, in hexadecimal digits. */
export interface UserTokenSummary {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The tokens of the members of an organization, or of people, or of people in an organization; the oldest first. */
export async function listUserTokens(
  tables: Tables,
  of: Pick<UserTokenSelection, 'organizationId' | 'userIds'>,
): Promise<UserTokenSummary[]> {
  const tokens = await findUserTokens(tables, of)
  return tokens.map(({ tokenHash, organizationId, userId, createdAt, expiresAt }) => {
    return { id: Buffer.from(tokenHash).toString('hex'), organizationId, userId, createdAt, expiresAt }
  })
}

const TOKEN_ID = /^[0-9a-f]{64}$/

type TokenHolder = Pick<UserTokenSummary, 'organizationId' | 'userId'>

/** Ends a user token by its id, with an audit event, and returns whose it was; undefined if there is none. */
export async function revokeUserToken(
  { database, runtime }: Pick<CredentialTools, 'database' | 'runtime'>,
  id: string,
): Promise<TokenHolder | undefined> {
  if (!TOKEN_ID.test(id)) return undefined
  return database.transaction(async (transaction) => {
    const [token] = await findUserTokens(transaction, { hashes: [Buffer.from(id, 'hex')] })
    if (token === undefined || !(await deleteUserToken(transaction, token))) return undefined
    await recordAuditEvents(transaction, [userTokenEvent(token)], { actor: systemActor, runtime })
    return { organizationId: token.organizationId, userId: token.userId }
  })
}

export function userTokenEvent({ organizationId, userId }: TokenHolder): AuditEvent {
  return { organizationId, action: 'user_token.revoke', targetId: userId }
}
