import type { SigningKeyModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'
import { escapedPattern } from './search.js'

/** The keys whose names begin with the prefix, by name. */
export function selectSigningKeys({ models }: Tables, prefix: string): Promise<SigningKeyModel[]> {
  return models.signingKey.findMany({
    where: { name: { startsWith: escapedPattern(prefix) } },
    orderBy: { name: 'asc' },
    select: { name: true, key: true },
  })
}

export async function findSigningKey(
  { models }: Tables,
  name: 'page_token' | 'secret_pepper_check',
): Promise<SigningKeyModel['key'] | undefined> {
  const found = await models.signingKey.findUnique({ where: { name }, select: { key: true } })
  return found?.key
}

/**
 * Replaces the value under a name, if it is still `before`; undefined means no value, in both. Any number of processes
 * may do so at once.
 */
export async function replaceSigningKey(
  { models }: Tables,
  name: 'secret_pepper_check',
  before: SigningKeyModel['key'] | undefined,
  key: SigningKeyModel['key'] | undefined,
): Promise<void> {
  if (before === undefined && key !== undefined) {
    await models.signingKey.createMany({ data: [{ name, key }], skipDuplicates: true })
  } else if (before !== undefined && key !== undefined) {
    await models.signingKey.updateMany({ where: { name, key: before }, data: { key } })
  } else if (before !== undefined) {
    await models.signingKey.deleteMany({ where: { name, key: before } })
  }
}
