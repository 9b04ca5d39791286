import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { addSecret, type EndpointKey, type EndpointTarget } from '../../store/webhook-endpoint.js'
import { createSealer, type Sealer } from '../value/sealed-text.js'
import type { SigningKeys } from './signature.js'

/** How long a replaced secret still signs. */
const OVERLAP_MILLIS = 24 * 3_600_000

/** Keeps the keys that sign, sealed. */
export type SecretStore = ReturnType<typeof createSecretStore>

/** With what secrets are sealed; the previous key only opens. */
export interface SealKeys {
  readonly current: string | undefined
  readonly previous: string | undefined
}

/** Makes the store of one service. */
export function createSecretStore({ current, previous }: SealKeys) {
  const sealerOf = (key: string) =>
    createSealer(Buffer.from(key), { purpose: 'webhook secret', macBytes: 32, blockBytes: 64 })
  const sealer = current === undefined ? undefined : sealerOf(current)
  const openers = [...(sealer ? [sealer] : []), ...(previous === undefined ? [] : [sealerOf(previous)])]
  const contextOf = ({ organizationId, id }: EndpointKey, secretId: string) => `${organizationId} ${id} ${secretId}`
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
    /** Stores keys; those before them sign for another 24 hours. */
    add: async (tables: Tables, endpoint: EndpointKey, keys: SigningKeys, { newId, now }: Runtime): Promise<void> => {
      const [id, createdAt] = [newId(), now()]
      const sealed = requireKey().seal(contextOf(endpoint, id), JSON.stringify(keys))
      const othersExpireAt = new Date(createdAt.getTime() + OVERLAP_MILLIS)
      await addSecret(tables, endpoint, { id, sealed, createdAt, othersExpireAt })
    },
    /** The keys of an endpoint. Throws if one was sealed with a key that is no longer set. */
    open: ({ secrets, ...endpoint }: EndpointKey & Pick<EndpointTarget, 'secrets'>): SigningKeys[] =>
      secrets.map(({ id, sealed }) => {
        const context = contextOf(endpoint, id)
        const opened = openers.flatMap((each) => each.open(context, sealed) ?? [])[0]
        if (opened === undefined) throw new Error(`a secret of the webhook endpoint ${endpoint.id} cannot be opened`)
        return JSON.parse(opened)
      }),
  }
}
