import { LRUCache } from 'lru-cache'
import { type FindHolders, findManagementKeys } from '../../store/token-holder.js'
import { createBatchedLookup, type Lookup } from '../caller/batched-lookup.js'
import type { CredentialTools } from './bearer-token.js'
import type { SecretHash } from './secret-hash.js'

interface Hashed {
  readonly tokenHash: SecretHash
}

/** Every hash under which a token may be stored. */
type AskedHashes = readonly Buffer<ArrayBuffer>[]

const MAX_KEPT = 4_096

/**
 * Makes the look-up of a kind of token. It returns the row of a token, or undefined. The row is read from the database
 * for every call; the organization of a token never changes, and is cached by the hash of the token. A token without an
 * organization is rejected without a query.
 */
export function createTokenLookup<Row extends Hashed>(
  { database, hasher }: Pick<CredentialTools, 'database' | 'hasher'>,
  organizationOf: (token: string, hashes: AskedHashes) => Promise<string | undefined>,
  findHolders: FindHolders<Row>,
): Lookup<string, Row | undefined> {
  const organizations = new LRUCache<string, string>({ max: MAX_KEPT })
  const finders = new LRUCache<string, Lookup<AskedHashes, Row | undefined>>({ max: MAX_KEPT })
  /** Each organization by itself: those of one worker of a cluster must not wait for those of another. */
  const finderIn = (organizationId: string) => {
    const known = finders.get(organizationId)
    if (known !== undefined) return known
    const find = createBatchedLookup(async (asked: readonly AskedHashes[]) => {
      // Each token once, however many calls use it.
      const tokenHashes = [...new Map(asked.flat().map((hash) => [keyOf(hash), hash])).values()]
      const rowOf = byHash(await findHolders(database, { organizationId, tokenHashes }))
      return (hashes) => firstOf(hashes, rowOf)
    })
    finders.set(organizationId, find)
    return find
  }
  return async (token) => {
    const hashes = hasher.candidates(token)
    const key = hashes.map(keyOf).join('')
    const organizationId = organizations.get(key) ?? (await organizationOf(token, hashes))
    if (organizationId === undefined) return undefined
    organizations.set(key, organizationId)
    return finderIn(organizationId)(hashes)
  }
}

/** Makes the search for the organizations of management keys by the hashes of their secrets, which name none. */
export function createOrganizationSearch({
  database,
}: Pick<CredentialTools, 'database'>): Lookup<AskedHashes, string | undefined> {
  return createBatchedLookup(async (asked: readonly AskedHashes[]) => {
    const rowOf = byHash(await findManagementKeys(database, { tokenHashes: asked.flat() }))
    return (hashes) => firstOf(hashes, rowOf)?.organizationId
  })
}

function byHash<Row extends Hashed>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [keyOf(row.tokenHash), row]))
}

function firstOf<Row>(hashes: readonly Buffer[], rowOf: ReadonlyMap<string, Row>): Row | undefined {
  return hashes.flatMap((hash) => rowOf.get(keyOf(hash)) ?? [])[0]
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1')
}
