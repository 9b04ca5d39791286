import type { Tables } from '../../db/tables.js'
import { findKeyOwner, type KeyOwnerRow } from '../../store/api-key.js'
import { findApiKeySession } from '../../store/api-key-session.js'
import { findUserTokens, type UserTokenRow } from '../../store/user-token.js'
import type { LeakedCredential } from './leaked-text.js'
import type { SecretHasher } from './secret-hash.js'

/** An API key, or the key of an access token, and whom it belongs to; or a user token. */
export type CredentialOwner =
  | { readonly credential: 'API key' | 'access token'; readonly key: KeyOwnerRow }
  | { readonly credential: 'user token'; readonly token: UserTokenRow }

/** Finds the owner of the secret or token in a text. Tokens of revoked keys, and swept ones, have none. */
export async function ownerOfSecret(
  tables: Tables,
  hasher: SecretHasher,
  { kind, readings }: LeakedCredential,
): Promise<CredentialOwner | undefined> {
  const hashes = readings.flatMap((reading) => hasher.candidates(reading))
  if (kind === 'user token') {
    const [token] = await findUserTokens(tables, { hashes })
    return token && { credential: 'user token', token }
  }
  const isToken = kind === 'access token'
  const session = isToken ? await findApiKeySession(tables, hashes) : undefined
  if (isToken && session === undefined) return undefined
  const key = await findKeyOwner(tables, session === undefined ? { hashes } : { id: session.apiKeyId })
  return key === null ? undefined : { credential: isToken ? 'access token' : 'API key', key }
}
