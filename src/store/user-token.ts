import type { UserTokenModel } from '../../gen/prisma/models.js'
import type { Queryable } from '../db/queryable.js'

/** Stores a token by its hash. */
export async function insertUserToken(
  tables: Queryable,
  token: Pick<UserTokenModel, 'organizationId' | 'userId' | 'expiresAt'> & { readonly tokenHash: Uint8Array },
): Promise<void> {
  const data = { ...token, tokenHash: new Uint8Array(token.tokenHash) }
  await tables.models.userToken.create({ data, select: { userId: true } })
}
