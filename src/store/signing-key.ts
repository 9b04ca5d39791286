import type { SigningKeyModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

/** The keys whose names begin with the prefix, by name. */
export function selectSigningKeys({ models }: Tables, prefix: string): Promise<SigningKeyModel[]> {
  return models.signingKey.findMany({
    where: { name: { startsWith: prefix } },
    orderBy: { name: 'asc' },
    select: { name: true, key: true },
  })
}

/** The bytes of a signing key. */
export async function findSigningKey(
  { models }: Tables,
  name: 'page_token',
): Promise<SigningKeyModel['key'] | undefined> {
  const found = await models.signingKey.findUnique({ where: { name }, select: { key: true } })
  return found?.key
}
