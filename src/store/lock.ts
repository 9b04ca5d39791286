import { crc32 } from 'node:zlib'
import { Prisma } from '../../gen/prisma/client.js'
import { createQuery, type Tables } from '../db/tables.js'

/**
 * The advisory locks of transactions, in the order in which they are taken: imports, endpoints and sources before rows
 * of members, all others after them.
 */
const kinds = [
  // While an import writes, so that two imports of the same rows never interleave. Imports into one organization share
  // the lock of all organizations.
  'imports',
  // While a webhook endpoint is created, so that an organization never has more than it may have.
  'endpoints',
  // While profiles of a source are ingested.
  'source',
  // While members are deactivated or get other roles: two administrators could otherwise do so to each other.
  'administrators',
  // While managers are assigned: two valid assignments can together make a cycle. Clearing one needs no lock.
  'managers',
  // While an address is given to a member, or taken away.
  'email',
  // While a number is given to a member. The unique constraint is checked at the end of a statement, where two writers
  // of the same number would deadlock.
  'phone',
  // While a group gets a name, in lower case.
  'group',
  // From an import's check whether other organizations have its new people, to its end. Taken after all rows: whoever
  // has it waits for nothing.
  'newcomers',
] as const

/** A lock that one transaction holds exclusively, or several share, until they end. */
export interface Lock {
  readonly kind: (typeof kinds)[number]
  /** Empty for the lock of all organizations. */
  readonly organizationId: string
  /** Which source, address, number or name. */
  readonly value?: string
  readonly isShared?: boolean
}

/** Locked by an import of any organizations. */
export const importLock: Lock = { kind: 'imports', organizationId: '' }

const take = createQuery<{ readonly keys: readonly string[]; readonly shared: readonly string[] }>({
  name: 'take_locks',
  columns: {},
  text: ({ keys, shared }) => Prisma.sql`
SELECT FROM unnest(${keys}::text[]) AS key
 WHERE CASE WHEN key = ANY (${shared}::text[]) THEN pg_advisory_xact_lock_shared(hashtextextended(key, 0))
            ELSE pg_advisory_xact_lock(hashtextextended(key, 0)) END IS NOT NULL`,
})

/** Addresses and numbers of an organization share so many locks, so that a large call cannot fill the lock table. */
const FOLDED = 256

function keyOf({ kind, organizationId, value }: Lock): string {
  if (value === undefined) return `${kind}/${organizationId}`
  return `${kind}/${organizationId}/${kind === 'email' || kind === 'phone' ? crc32(value) % FOLDED : value}`
}

/** Takes locks until the transaction ends, in the one order, and waits for whoever has them. */
export async function takeLocks(transaction: Tables, locks: readonly Lock[]): Promise<void> {
  if (locks.length === 0) return
  const keys = kinds.flatMap((kind) => {
    const ofKind = locks.filter((lock) => lock.kind === kind)
    return [...new Set(ofKind.map(keyOf))].sort()
  })
  await take(transaction, { keys, shared: locks.filter(({ isShared }) => isShared).map(keyOf) })
}
