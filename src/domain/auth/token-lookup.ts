import { LRUCache } from 'lru-cache'
import type { Tables } from '../../db/tables.js'
import { type FindHolders, type OrganizationTokens, selectOrganizationsOfTokens } from '../../store/token-holder.js'
import { createBatchedLookup, type Lookup } from '../caller/batched-lookup.js'
import type { BearerTokens, TokenPrefix } from './bearer-token.js'
import type { SecretHasher } from './secret-hash.js'

/** What looking up tokens depends on. */
export interface TokenLookupOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly bearerTokens: BearerTokens
}

interface Hashed {
  readonly tokenHash: Uint8Array
}

/** A token with every hash under which it may be stored. */
interface AskedToken {
  readonly hashes: readonly Buffer[]
  readonly organizationId: string
}

/** Opening a seal takes longer than hashing, so the organizations of the tokens in use are kept, by their hashes. */
const MAX_KEPT_ORGANIZATIONS = 4_096

/** Makes the look-up of tokens with a prefix: the row of a token, or undefined if there is none. */
export type CreateTokenLookup = <Row extends Hashed>(
  prefix: TokenPrefix,
  select: FindHolders<Row>,
) => Lookup<string, Row | undefined>

/**
 * Looks up tokens in their organizations. For an old token that names none, the organization is looked up first, in all
 * of them; a token that cannot be genuine is rejected without a query.
 */
export function createTokenLookups({ database, hasher, bearerTokens }: TokenLookupOptions): CreateTokenLookup {
  const organizations = new LRUCache<string, string>({ max: MAX_KEPT_ORGANIZATIONS })
  const findOrganization = createBatchedLookup<readonly Buffer[], string | undefined>(async (asked) => {
    const rowOf = byHash(await selectOrganizationsOfTokens(database, asked.flat()))
    return (hashes) => firstOf(hashes, rowOf)?.organizationId
  })
  return (prefix, select) => {
    const find = createBatchedLookup(async (asked: readonly AskedToken[]) => {
      const found = await Promise.all(inOrganizations(asked).map((tokens) => select(database, tokens)))
      const rowOf = byHash(found.flat())
      return ({ hashes }) => firstOf(hashes, rowOf)
    })
    return async (token) => {
      const hashes = hasher.candidates(token)
      const key = hashes.map(keyOf).join('')
      const kept = organizations.get(key)
      if (kept !== undefined) return find({ hashes, organizationId: kept })

      const named = await bearerTokens.organizationOf(prefix, token)
      if (named === undefined) return undefined
      if (named.organizationId !== undefined) organizations.set(key, named.organizationId)
      const organizationId = named.organizationId ?? (await findOrganization(hashes))
      return organizationId === undefined ? undefined : find({ hashes, organizationId })
    }
  }
}

/** Each token once, however many calls use it. */
function inOrganizations(asked: readonly AskedToken[]): OrganizationTokens[] {
  const groups = new Map<string, Map<string, Buffer>>()
  for (const { hashes, organizationId } of asked) {
    const group = groups.get(organizationId) ?? new Map<string, Buffer>()
    groups.set(organizationId, group)
    for (const hash of hashes) group.set(keyOf(hash), hash)
  }
  return [...groups].map(([organizationId, group]) => ({ organizationId, tokenHashes: [...group.values()] }))
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
