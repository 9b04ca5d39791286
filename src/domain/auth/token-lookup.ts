import { LRUCache } from 'lru-cache'
import type { FindHolders, FindOrganizations } from '../../store/token-holder.js'
import { createBatchedLookup, type Lookup } from '../caller/batched-lookup.js'
import type { CredentialTools } from './bearer-token.js'
import type { SecretHash } from './secret-hash.js'

interface Hashed {
  readonly tokenHash: SecretHash
}

/** Every hash under which a token may be stored. */
type AskedHashes = readonly Buffer<ArrayBuffer>[]

/** Opening a seal takes longer than hashing, so the organizations of the tokens in use are kept, by their hashes. */
const MAX_KEPT_ORGANIZATIONS = 4_096

/**
 * Makes the look-up of a kind of token: the row of a token, or undefined if there is none. It is looked up in its
 * organization, anew for every call. `organizationOf` is empty for a token that names none: it is looked up first, in
 * all organizations. A token of which it is undefined cannot be genuine, and is rejected without a query.
 */
export function createTokenLookup<Row extends Hashed>(
  { database, hasher }: Pick<CredentialTools, 'database' | 'hasher'>,
  organizationOf: (token: string) => Promise<string | undefined>,
  findOrganizations: FindOrganizations,
  findHolders: FindHolders<Row>,
): Lookup<string, Row | undefined> {
  const organizations = new LRUCache<string, string>({ max: MAX_KEPT_ORGANIZATIONS })
  const findOrganization = createBatchedLookup(async (asked: readonly AskedHashes[]) => {
    const rowOf = byHash(await findOrganizations(database, asked.flat()))
    return (hashes) => firstOf(hashes, rowOf)?.organizationId
  })
  const finders = new LRUCache<string, Lookup<AskedHashes, Row | undefined>>({ max: MAX_KEPT_ORGANIZATIONS })
  /** Each organization by itself: those of one worker of a cluster must not wait for those of another. */
  const finderIn = (organizationId: string) => {
    const known = finders.get(organizationId)
    if (known !== undefined) return known
    const find = createBatchedLookup(async (asked: readonly AskedHashes[]) => {
      const rowOf = byHash(await findHolders(database, { organizationId, tokenHashes: eachOnce(asked.flat()) }))
      return (hashes) => firstOf(hashes, rowOf)
    })
    finders.set(organizationId, find)
    return find
  }
  return async (token) => {
    const hashes = hasher.candidates(token)
    const key = hashes.map(keyOf).join('')
    const kept = organizations.get(key)
    if (kept !== undefined) return finderIn(kept)(hashes)

    const named = await organizationOf(token)
    const organizationId = named === '' ? await findOrganization(hashes) : named
    if (organizationId === undefined) return undefined
    organizations.set(key, organizationId)
    return finderIn(organizationId)(hashes)
  }
}

/** Each token once, however many calls use it. */
function eachOnce(hashes: AskedHashes): SecretHash[] {
  return [...new Map(hashes.map((hash) => [keyOf(hash), hash])).values()]
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
