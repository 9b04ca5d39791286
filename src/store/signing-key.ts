import type { SigningKeyModel } from '../../gen/prisma/models.js'
import type { Queryable } from '../db/queryable.js'

/** The bytes of a signing key. */
export async function findSigningKey(
  tables: Queryable,
  name: 'page_token',
): Promise<SigningKeyModel['key'] | undefined> {
  const found = await tables.models.signingKey.findUnique({ where: { name }, select: { key: true } })
  return found?.key
}
