import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/**
 * Hashes of addresses are folded to this many locks per organization, so that a large call cannot fill the lock table.
 */
const LOCKS_PER_ORGANIZATION = Prisma.raw(String(256))

interface Addresses {
  readonly organizationId: string
  readonly emailKeys: readonly string[]
}

const lock = createStatement<Addresses, Record<never, never>>({
  name: 'lock_email_addresses',
  columns: {},
  text: ({ organizationId, emailKeys }) => Prisma.sql`
SELECT FROM (
    SELECT DISTINCT abs(hashtext(key) % ${LOCKS_PER_ORGANIZATION}) AS bucket FROM unnest(${emailKeys}::text[]) AS key ORDER BY 1
  ) buckets
 WHERE pg_advisory_xact_lock(hashtextextended('email/' || ${organizationId} || '/' || bucket, 0)) IS NOT NULL`,
})

/** A member who has an email address. */
export interface EmailHolder {
  readonly userId: string
  readonly name: string
}

const find = createStatement<Addresses, EmailHolder & Pick<MembershipModel, 'emailKey'>>({
  name: 'find_email_holders',
  columns: { emailKey: 'text', userId: 'text', name: 'text' },
  text: ({ organizationId, emailKeys }) => Prisma.sql`
SELECT email_key AS "emailKey", user_id AS "userId", trim(first_name || ' ' || last_name) AS name
  FROM memberships WHERE organization_id = ${organizationId} AND email_key = ANY (${emailKeys})`,
})

const findKeys = createStatement<
  { readonly organizationId: string; readonly userIds: readonly string[] },
  Pick<MembershipModel, 'emailKey'>
>({
  name: 'find_email_keys',
  columns: { emailKey: 'text' },
  text: ({ organizationId, userIds }) => Prisma.sql`
SELECT email_key AS "emailKey" FROM memberships WHERE organization_id = ${organizationId} AND user_id = ANY (${userIds})`,
})

/** The statements of this file. */
export const emailClaimStatements = [lock, find, findKeys]

/**
 * Keeps other transactions from giving these addresses to members of the organization, or taking them away, until this
 * one ends. No organization waits for another, which would tell what addresses that one has.
 */
export async function lockEmailAddresses(
  transaction: Tables,
  organizationId: string,
  emailKeys: readonly string[],
): Promise<void> {
  if (emailKeys.length > 0) await transaction.run(lock, { organizationId, emailKeys })
}

/** The keys of the addresses that members of the organization currently have. */
export async function findEmailKeys(
  tables: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<string[]> {
  if (userIds.length === 0) return []
  return (await tables.run(findKeys, { organizationId, userIds })).map(({ emailKey }) => emailKey)
}

/** The members of the organization with these addresses, including deactivated ones, by the key of the address. */
export async function findEmailHolders(
  tables: Tables,
  organizationId: string,
  emailKeys: readonly string[],
): Promise<Map<string, EmailHolder>> {
  if (emailKeys.length === 0) return new Map()
  const holders = await tables.run(find, { organizationId, emailKeys })
  return new Map(holders.map(({ emailKey, ...holder }) => [emailKey, holder]))
}
