import type { UserTokenModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

/** Ends all tokens of users of an organization. */
export async function deleteUserTokens(
  { models }: Tables,
  { organizationId, userIds }: { readonly organizationId: string; readonly userIds: readonly string[] },
): Promise<void> {
  await models.userToken.deleteMany({ where: { organizationId, userId: { in: [...userIds] } } })
}

/** Stores a token by its hash. */
export async function insertUserToken(
  tables: Tables,
  token: Pick<UserTokenModel, 'organizationId' | 'userId' | 'expiresAt'> & { readonly tokenHash: Uint8Array },
): Promise<void> {
  const data = { ...token, tokenHash: new Uint8Array(token.tokenHash) }
  await tables.models.userToken.create({ data, select: { userId: true } })
}
