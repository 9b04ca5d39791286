import type { Tables } from '../../db/tables.js'
import { findManagementKeys, type ManagementKeyRow } from '../../store/api-key.js'
import { selectOrganizationsOfTokens } from '../../store/token-holder.js'
import { createBatchedLookup, type Lookup } from '../caller/batched-lookup.js'
import { inspectApiKeySecret } from './api-key-secret.js'
import type { KeyUses } from './key-use.js'
import type { SecretHasher } from './secret-hash.js'

/** The key of an identity provider's connection. */
export interface ManagementKey {
  readonly organizationId: string
  readonly id: string
  readonly name: string
}

/** What recognizing management keys depends on. */
export interface ManagementKeysOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly keyUses: KeyUses
}

/**
 * Finds the management key whose secret a text is; undefined for any other text and for revoked keys, `expired` for an
 * expired one.
 */
export type FindManagementKey = (secret: string) => Promise<ManagementKey | 'expired' | undefined>

/** Of how many keys the organization is remembered. */
const MAX_REMEMBERED = 10_000

/**
 * Makes the look-up. Only the organization of a key is remembered, which never changes: whether the key is live is
 * asked again for every call, so that a revocation takes effect in every process as soon as it is committed.
 */
export function createManagementKeys({ database, hasher, keyUses }: ManagementKeysOptions): FindManagementKey {
  const organizations = new Map<string, string>()
  const lookups = new Map<string, Lookup<readonly Buffer[], ManagementKeyRow | undefined>>()
  const organizationOf = async (hashes: readonly Buffer[]) => {
    const names = hashes.map((hash) => hash.toString('latin1'))
    const remembered = names.flatMap((name) => organizations.get(name) ?? [])[0]
    if (remembered !== undefined) return remembered
    const [found] = await selectOrganizationsOfTokens(database, hashes)
    if (found === undefined) return undefined
    if (organizations.size >= MAX_REMEMBERED) forgetFirst(organizations)
    organizations.set(Buffer.from(found.tokenHash).toString('latin1'), found.organizationId)
    return found.organizationId
  }
  const lookupIn = (organizationId: string) => {
    const known = lookups.get(organizationId)
    if (known !== undefined) return known
    const lookup = createBatchedLookup(async (asked: readonly (readonly Buffer[])[]) => {
      const rows = await findManagementKeys(database, { organizationId, secretHashes: asked.flat() })
      return (hashes: readonly Buffer[]) =>
        rows.find(({ secretHash }) => hashes.some((hash) => hash.equals(secretHash)))
    })
    if (lookups.size >= MAX_REMEMBERED) forgetFirst(lookups)
    lookups.set(organizationId, lookup)
    return lookup
  }
  return async (secret) => {
    const inspected = inspectApiKeySecret(secret)
    if (!inspected.ok || inspected.kind !== 'mk') return undefined
    const hashes = hasher.candidates(secret)
    const organizationId = await organizationOf(hashes)
    const key = organizationId === undefined ? undefined : await lookupIn(organizationId)(hashes)
    if (key === undefined || organizationId === undefined) return undefined
    if (key.isExpired) return 'expired'
    if (key.useIsDue) keyUses.note({ organizationId, id: key.id })
    return { organizationId, id: key.id, name: key.name }
  }
}

function forgetFirst(map: Map<string, unknown>): void {
  const [first] = map.keys()
  if (first !== undefined) map.delete(first)
}
