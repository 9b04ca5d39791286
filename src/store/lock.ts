import { crc32 } from 'node:zlib'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/**
 * What transactions lock besides rows, in the order in which they lock it: imports, endpoints and sources before rows of
 * members, all else after them.
 */
const kinds = [
  'imports',
  'endpoints',
  'source',
  'administrators',
  'managers',
  'email',
  'phone',
  'group',
  'newcomers',
] as const

/** Something that only one transaction at a time may hold, until it ends; or any number that share it, and no other. */
export interface Lock {
  readonly kind: (typeof kinds)[number]
  readonly key: string
  readonly isShared?: boolean
}

/** Values are folded to this many locks per organization, so that a large call cannot fill the lock table. */
const LOCKS_PER_ORGANIZATION = 256

function folded(value: string): number {
  return crc32(value) % LOCKS_PER_ORGANIZATION
}

/** Held by an import of any organizations while it writes, so that two of the same rows never interleave. */
export const importLock: Lock = { kind: 'imports', key: '' }

/** Held by an import into one organization, which waits for none into another. */
export function importLocksOf(organizationId: string): Lock[] {
  return [
    { ...importLock, isShared: true },
    { kind: 'imports', key: organizationId },
  ]
}

/**
 * Held by an import into one organization from the moment when it looks whether others have its new people to its end:
 * after all rows, because whoever has it waits for nothing.
 */
export const newcomerLock: Lock = { kind: 'newcomers', key: '' }

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

const take = createStatement<
  { readonly keys: readonly string[]; readonly shared: readonly string[] },
  Record<never, never>
>({
  name: 'take_locks',
  columns: {},
  text: ({ keys, shared }) => Prisma.sql`
SELECT FROM unnest(${keys}::text[]) AS key
 WHERE CASE WHEN key = ANY (${shared}::text[]) THEN pg_advisory_xact_lock_shared(hashtextextended(key, 0))
            ELSE pg_advisory_xact_lock(hashtextextended(key, 0)) END IS NOT NULL`,
})

const nameOf = ({ kind, key }: Lock) => `${kind}/${key}`

/** Takes locks until the transaction ends, in the one order, and waits for whoever holds them. */
export async function takeLocks(transaction: Tables, locks: readonly Lock[]): Promise<void> {
  if (locks.length === 0) return
  const keys = kinds.flatMap((kind) => {
    const ofKind = locks.filter((lock) => lock.kind === kind)
    return [...new Set(ofKind.map(nameOf))].sort()
  })
  await transaction.run(take, { keys, shared: locks.filter(({ isShared }) => isShared).map(nameOf) })
}
