import type { ApiKeyModel, ApiKeySessionModel, UserTokenModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

type Session = Pick<ApiKeySessionModel, 'organizationId' | 'tokenHash' | 'apiKeyId'>
type UserToken = Pick<UserTokenModel, 'organizationId' | 'tokenHash' | 'userId'>

/** The credentials that are stored under some hashes; there is one at most, but each is looked for. */
export interface LeakedCredentials {
  /** The key whose secret it is, even if it is revoked. */
  readonly key: Pick<ApiKeyModel, 'organizationId' | 'id'> | null
  readonly session: Session | null
  readonly userToken: UserToken | null
}

/** Looks in all organizations, because a secret does not name its own. */
export async function findLeaked({ models }: Tables, hashes: readonly Uint8Array[]): Promise<LeakedCredentials> {
  const bytes = hashes.map((hash) => new Uint8Array(hash))
  const tokenHash = { in: bytes }
  const key = await models.apiKey.findFirst({
    where: { secretHash: { in: bytes } },
    orderBy: { revokedAt: { sort: 'asc', nulls: 'first' } },
    select: { organizationId: true, id: true },
  })
  const session = await models.apiKeySession.findFirst({
    where: { tokenHash },
    select: { organizationId: true, tokenHash: true, apiKeyId: true },
  })
  const userToken = await models.userToken.findFirst({
    where: { tokenHash },
    select: { organizationId: true, tokenHash: true, userId: true },
  })
  return { key, session, userToken }
}

/** Ends a session, and returns whether there was one. */
export async function deleteLeakedSession(
  { models }: Tables,
  { organizationId, tokenHash }: Pick<Session, 'organizationId' | 'tokenHash'>,
): Promise<boolean> {
  const where = { organizationId, tokenHash: new Uint8Array(tokenHash) }
  return (await models.apiKeySession.deleteMany({ where })).count > 0
}
