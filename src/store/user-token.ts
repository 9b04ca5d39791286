import { Prisma } from '../../gen/prisma/client.js'
import type { UserTokenModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './tenant.js'

/** Users of an organization. */
interface TokenUsers {
  readonly organizationId: string
  readonly userIds: readonly string[]
}

const remove = createStatement<TokenUsers, Record<never, never>>({
  name: 'delete_user_tokens',
  columns: {},
  text: ({ userIds }) => Prisma.sql`
DELETE FROM user_tokens t WHERE ${ofOrganization('t')} AND t.user_id = ANY (${userIds}::text[])`,
})

/** The statements of this file. */
export const userTokenStatements = [remove]

/** Ends all tokens of users. */
export async function deleteUserTokens(transaction: Tables, users: TokenUsers): Promise<void> {
  await transaction.run(remove, users)
}

/** Stores a token by its hash. */
export async function insertUserToken(
  tables: Tables,
  token: Pick<UserTokenModel, 'organizationId' | 'userId' | 'expiresAt'> & { readonly tokenHash: Uint8Array },
): Promise<void> {
  const data = { ...token, tokenHash: new Uint8Array(token.tokenHash) }
  await tables.models.userToken.create({ data, select: { userId: true } })
}
