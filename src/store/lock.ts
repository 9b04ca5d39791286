import { crc32 } from 'node:zlib'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/** What transactions lock besides rows, in the order in which they lock it; rows come after all of it. */
const kinds = ['imports', 'endpoints', 'source', 'administrators', 'managers', 'email', 'phone', 'group'] as const

/** Something that only one transaction at a time may hold, until it ends. */
export interface Lock {
  readonly kind: (typeof kinds)[number]
  readonly key: string
}

/** Values are folded to this many locks per organization, so that a large call cannot fill the lock table. */
const LOCKS_PER_ORGANIZATION = 256

function folded(value: string): number {
  return crc32(value) % LOCKS_PER_ORGANIZATION
}

/** Held by an import while it writes, so that two of the same rows never interleave. */
export const importLock: Lock = { kind: 'imports', key: '' }

/** Held while a webhook endpoint is created, so that an organization never has more than it may have. */
export function endpointLock(organizationId: string): Lock {
  return { kind: 'endpoints', key: organizationId }
}

/** Held while profiles of the source are taken in. */
export function sourceLock(organizationId: string, source: string): Lock {
  return { kind: 'source', key: `${organizationId}/${source}` }
}

/** Held while members are deactivated or get other roles: two administrators could otherwise do so to each other. */
export function administratorLock(organizationId: string): Lock {
  return { kind: 'administrators', key: organizationId }
}

/**
 * Held while managers are assigned in the organization: two assignments that are each valid can together make a cycle.
 * Clearing a manager needs no lock.
 */
export function managerLock(organizationId: string): Lock {
  return { kind: 'managers', key: organizationId }
}

/** Held while the address is given to a member of the organization, or taken away. No organization waits for another. */
export function emailLock(organizationId: string, emailKey: string): Lock {
  return { kind: 'email', key: `${organizationId}/${folded(emailKey)}` }
}

/**
 * Held while the number is given to a member of the organization. The unique constraint is checked at the end of a
 * statement, where two writers of the same number would deadlock.
 */
export function phoneLock(organizationId: string, phone: string): Lock {
  return { kind: 'phone', key: `${organizationId}/${folded(phone)}` }
}

/** Held while a group of the organization gets the name, in whatever case. */
export function groupNameLock(organizationId: string, name: string): Lock {
  return { kind: 'group', key: `${organizationId}/${name.toLowerCase()}` }
}

const take = createStatement<{ readonly keys: readonly string[] }, Record<never, never>>({
  name: 'take_locks',
  columns: {},
  text: ({ keys }) => Prisma.sql`
SELECT FROM unnest(${keys}::text[]) AS key WHERE pg_advisory_xact_lock(hashtextextended(key, 0)) IS NOT NULL`,
})

/** Takes locks until the transaction ends, in the one order, and waits for whoever holds them. */
export async function takeLocks(transaction: Tables, locks: readonly Lock[]): Promise<void> {
  if (locks.length === 0) return
  const keys = kinds.flatMap((kind) => {
    const ofKind = locks.filter((lock) => lock.kind === kind)
    return [...new Set(ofKind.map(({ key }) => `${kind}/${key}`))].sort()
  })
  await transaction.run(take, { keys })
}
