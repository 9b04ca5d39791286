import type { UserTokenModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

export async function insertUserToken({ models }: Tables, token: UserTokenModel): Promise<void> {
  await models.userToken.create({ data: token, select: { userId: true } })
}

export type UserTokenRow = Awaited<ReturnType<typeof findUserTokens>>[number]

/** Which user tokens to read: those of an organization, of people, of both, or those with the hashes. */
export interface UserTokenSelection {
  readonly organizationId?: string | undefined
  readonly userIds?: readonly string[] | undefined
  readonly hashes?: readonly UserTokenModel['tokenHash'][]
}

/** User tokens, expired ones too, the oldest first. */
export function findUserTokens({ models }: Tables, { organizationId, userIds, hashes }: UserTokenSelection) {
  return models.userToken.findMany({
    where: {
      ...(organizationId !== undefined && { organizationId }),
      ...(userIds !== undefined && { userId: { in: [...userIds] } }),
      ...(hashes !== undefined && { tokenHash: { in: [...hashes] } }),
    },
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
    select: {
      tokenHash: true,
      organizationId: true,
      userId: true,
      createdAt: true,
      expiresAt: true,
      membership: { select: { organization: { select: { name: true } } } },
    },
  })
}

/** Finds a token by the hashes under which it may be stored, in all organizations. Always one query. */
export async function findUserToken({ models }: Tables, hashes: readonly UserTokenModel['tokenHash'][]) {
  const where = { tokenHash: { in: [...hashes] } }
  const select = { organizationId: true, tokenHash: true, userId: true }
  return (await models.userToken.findFirst({ where, select })) ?? undefined
}

export async function deleteUserToken(
  { models }: Tables,
  { organizationId, tokenHash }: Pick<UserTokenModel, 'organizationId' | 'tokenHash'>,
): Promise<boolean> {
  return (await models.userToken.deleteMany({ where: { organizationId, tokenHash } })).count > 0
}

/** Ends all tokens of users of an organization. */
export async function deleteUserTokens(
  { models }: Tables,
  { organizationId, userIds }: { readonly organizationId: string; readonly userIds: readonly string[] },
): Promise<void> {
  await models.userToken.deleteMany({ where: { organizationId, userId: { in: [...userIds] } } })
}
