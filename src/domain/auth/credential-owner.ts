import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import * as owners from '../../store/credential-owner.js'
import { deleteUserToken } from '../../store/user-token.js'
import { recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX } from './bearer-token.js'
import type { SecretHasher } from './secret-hash.js'

/** An API key, or the key of an access token, and whom it belongs to; or a user token. */
export type CredentialOwner =
  | { readonly credential: 'API key' | 'access token'; readonly key: owners.KeyOwnerRow }
  | { readonly credential: 'user token'; readonly token: owners.UserTokenOwnerRow }

/** Whose key has the id. */
export async function ownerOfKeyId(tables: Tables, id: string): Promise<CredentialOwner | undefined> {
  const key = await owners.findKeyOwner(tables, { id })
  return key === null ? undefined : { credential: 'API key', key }
}

/** Whose secret or token it is; tokens of revoked keys, and expired ones that are swept, belong to no one. */
export async function ownerOfSecret(
  tables: Tables,
  hasher: SecretHasher,
  secret: string,
): Promise<CredentialOwner | undefined> {
  const hashes = hasher.candidates(secret)
  if (secret.startsWith(USER_TOKEN_PREFIX)) {
    const [token] = await owners.findUserTokens(tables, { hashes })
    return token && { credential: 'user token', token }
  }
  const isToken = secret.startsWith(ACCESS_TOKEN_PREFIX)
  const wanted = isToken ? await owners.findKeyOfSession(tables, hashes) : { hashes }
  const key = wanted && (await owners.findKeyOwner(tables, wanted))
  return key ? { credential: isToken ? 'access token' : 'API key', key } : undefined
}

/** A user token without its secret. `id` is the hash under which it is stored, in hexadecimal digits. */
export interface UserTokenSummary {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The tokens of the members of an organization, or of a user, or of a user in an organization; the oldest first. */
export async function listUserTokens(
  tables: Tables,
  of: { readonly organizationId?: string | undefined; readonly userId?: string | undefined },
): Promise<UserTokenSummary[]> {
  const tokens = await owners.findUserTokens(tables, of)
  return tokens.map(({ tokenHash, organizationId, userId, createdAt, expiresAt }) => {
    return { id: Buffer.from(tokenHash).toString('hex'), organizationId, userId, createdAt, expiresAt }
  })
}

const TOKEN_ID = /^[0-9a-f]{64}$/

/** Ends a user token by its id, with an audit event, and returns whose it was; undefined if there is none. */
export function revokeUserToken(
  { database, runtime }: { readonly database: Pick<Tables, 'transaction'>; readonly runtime: Runtime },
  id: string,
): Promise<Pick<UserTokenSummary, 'organizationId' | 'userId'> | undefined> {
  if (!TOKEN_ID.test(id)) return Promise.resolve(undefined)
  return database.transaction(async (transaction) => {
    const [token] = await owners.findUserTokens(transaction, { hashes: [Buffer.from(id, 'hex')] })
    if (token === undefined || !(await deleteUserToken(transaction, token))) return undefined
    const { organizationId, userId } = token
    const target = { organizationId, targetType: 'user', targetId: userId }
    await recordAuditEvents(transaction, [{ ...target, action: 'user_token.revoke', actor: systemActor }], runtime)
    return { organizationId, userId }
  })
}
