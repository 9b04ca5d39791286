import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import {
  addSecret,
  type EndpointKey,
  type EndpointTarget,
  findEndpointTarget,
  liveSecrets,
  replaceSealed,
  type SealedSecret,
} from '../../store/webhook-endpoint.js'
import { createSealer, type Sealer } from '../value/sealed-text.js'
import type { SigningKeys } from './signature.js'

/** How long a replaced secret still signs. */
const OVERLAP_MILLIS = 24 * 3_600_000

/** Keys as they are sealed: JSON of texts in base64, in which nothing is escaped. */
const SEALED_KEYS = /^\{"secret":"([^"]+)"(?:,"privateKey":"([^"]+)")?\}$/

export type SecretStore = ReturnType<typeof createSecretStore>

/** The keys that seal secrets. The previous key only opens them. */
export interface SealKeys {
  readonly current: string | undefined
  readonly previous: string | undefined
}

/** How many of the secrets that sign the current key opens, only the previous one, and neither. */
export type SealedCounts = Record<'current' | 'previous' | 'neither', number>

export function createSecretStore({ current, previous }: SealKeys) {
  const [sealer, previousSealer] = [current, previous].map((key) => (key === undefined ? undefined : sealerOf(key)))
  const openWith = (opener: Sealer | undefined, { organizationId, endpointId, id, sealed }: SealedSecret) =>
    opener?.open(`${organizationId} ${endpointId} ${id}`, sealed)
  const opened = (secret: SealedSecret) => openWith(sealer, secret) ?? openWith(previousSealer, secret)
  const sealedOf = ({ organizationId, id: endpointId, secrets }: SealedEndpoint): SealedSecret[] =>
    secrets.map((secret) => ({ organizationId, endpointId, ...secret }))
  /** Throws `SEAL_KEY_MISSING` if nothing can be sealed. */
  const requireKey = (): Sealer => {
    if (sealer !== undefined) return sealer
    throw new ServiceError(
      'SEAL_KEY_MISSING',
      'this server has no key to seal the secrets of webhooks: its operator must set SVC_SEAL_KEY',
    )
  }
  return {
    requireKey,
    /** Stores keys; those before them sign for another 24 hours, except for those that cannot be opened any more. */
    add: async (tables: Tables, endpoint: EndpointKey, keys: SigningKeys, { newId, now }: Runtime): Promise<void> => {
      const [id, createdAt] = [newId(), now()]
      const { organizationId, id: endpointId } = endpoint
      const found = await findEndpointTarget(tables, endpoint, createdAt)
      const lost = sealedOf({ ...endpoint, secrets: found?.secrets ?? [] }).filter((each) => opened(each) === undefined)
      const sealed = requireKey().seal(`${organizationId} ${endpointId} ${id}`, JSON.stringify(keys))
      const expireAt = new Date(createdAt.getTime() + OVERLAP_MILLIS)
      const others = { expireAt, lost: lost.map((each) => each.id) }
      await addSecret(tables, { organizationId, endpointId, id, sealed, createdAt }, others)
    },
    /** The keys of an endpoint. Throws `SEAL_KEY_MISSING` if one was sealed with a key that is not set. */
    open: (endpoint: SealedEndpoint): SigningKeys[] =>
      sealedOf(endpoint).map((secret): SigningKeys => {
        const [, key, privateKey] = SEALED_KEYS.exec(opened(secret) ?? '') ?? []
        if (key !== undefined) return { secret: key, ...(privateKey !== undefined && { privateKey }) }
        const fault = `a secret of the webhook endpoint ${endpoint.id} cannot be opened`
        const advice = 'its operator must set the SVC_SEAL_KEY that sealed it; if that is lost, rotate the secret'
        throw new ServiceError('SEAL_KEY_MISSING', `${fault} by this server: ${advice}`)
      }),
    /** Counts the secrets of all organizations by the key that opens them. */
    count: async (tables: Tables, now: Date): Promise<SealedCounts> => {
      const counts: SealedCounts = { current: 0, previous: 0, neither: 0 }
      for (const secret of await liveSecrets(tables, now)) {
        const isCurrent = openWith(sealer, secret) !== undefined
        counts[isCurrent ? 'current' : opened(secret) === undefined ? 'neither' : 'previous'] += 1
      }
      return counts
    },
    /** Seals with the current key what only the previous one opens. Any number of processes may do so at once. */
    sealAgain: async (tables: Tables, now: Date): Promise<void> => {
      if (sealer === undefined || previousSealer === undefined) return
      for (const secret of await liveSecrets(tables, now)) {
        const text = openWith(sealer, secret) === undefined ? openWith(previousSealer, secret) : undefined
        const { organizationId, endpointId, id } = secret
        if (text === undefined) continue
        await replaceSealed(tables, secret, sealer.seal(`${organizationId} ${endpointId} ${id}`, text))
      }
    },
  }
}

type SealedEndpoint = EndpointKey & Pick<EndpointTarget, 'secrets'>

function sealerOf(key: string): Sealer {
  return createSealer(Buffer.from(key), { purpose: 'webhook secret', macBytes: 32, blockBytes: 64 })
}

/**
 * What is wrong with the keys that seal, and what to do about it; undefined unless secrets exist and none of them can
 * be opened. No check value is stored: a sealed secret itself shows whether a key sealed it.
 */
export function sealKeyFault({ current, previous, neither }: SealedCounts): string | undefined {
  if (neither === 0 || current + previous > 0) return undefined
  return 'SVC_SEAL_KEY is not the one that sealed the secrets of webhooks in this database: set that one'
}
