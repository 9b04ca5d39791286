import { Prisma } from '../../gen/prisma/client.js'
import type { SigningKeyModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/** The bytes of a signing key. */
export async function findSigningKey(tables: Tables, name: 'page_token'): Promise<SigningKeyModel['key'] | undefined> {
  const found = await tables.models.signingKey.findUnique({ where: { name }, select: { key: true } })
  return found?.key
}

// Read by the first call, which has a time limit of its own.
const selectKeys = createStatement<{ readonly prefix: string }, SigningKeyModel>({
  name: 'select_signing_keys',
  columns: { name: 'text', key: 'bytea' },
  text: ({ prefix }) => Prisma.sql`SELECT name, key FROM signing_keys WHERE starts_with(name, ${prefix}) ORDER BY name`,
})

/** The statements of this file. */
export const signingKeyStatements = [selectKeys]

/** The keys whose names begin with the prefix, by name. */
export function selectSigningKeys(tables: Tables, prefix: string): Promise<SigningKeyModel[]> {
  return tables.run(selectKeys, { prefix })
}
