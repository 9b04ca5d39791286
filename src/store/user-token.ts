import type { UserTokenModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

/** Ends all tokens of users of an organization. */
export async function deleteUserTokens(
  { models }: Tables,
  { organizationId, userIds }: { readonly organizationId: string; readonly userIds: readonly string[] },
): Promise<void> {
  await models.userToken.deleteMany({ where: { organizationId, userId: { in: [...userIds] } } })
}

/** Ends a token, and returns whether there was one. */
export async function deleteUserToken(
  { models }: Tables,
  { organizationId, tokenHash }: Pick<UserTokenModel, 'organizationId' | 'tokenHash'>,
): Promise<boolean> {
  const where = { organizationId, tokenHash: new Uint8Array(tokenHash) }
  return (await models.userToken.deleteMany({ where })).count > 0
}

/** Stores a token by its hash. */
export async function insertUserToken(
  { models }: Tables,
  token: Pick<UserTokenModel, 'organizationId' | 'userId' | 'expiresAt'> & { readonly tokenHash: Uint8Array },
): Promise<void> {
  const data = { ...token, tokenHash: new Uint8Array(token.tokenHash) }
  await models.userToken.create({ data, select: { userId: true } })
}
