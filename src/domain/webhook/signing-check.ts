import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { type EndpointKey, type EndpointTarget, findEndpointTarget } from '../../store/webhook-endpoint.js'
import { nameOf } from './backlog.js'
import type { SecretStore } from './secret-store.js'

/** Remembers the endpoints whose secrets this process cannot open, so that their events stay due for one that can. */
export function createSigningCheck({
  database,
  secrets,
  runtime,
}: {
  readonly database: Tables
  readonly secrets: Pick<SecretStore, 'open'>
  readonly runtime: Pick<Runtime, 'now'>
}) {
  const unopened = new Set<string>()
  /** Why the secrets of an endpoint cannot be opened; undefined if they can. */
  const fault = (endpoint: EndpointKey & EndpointTarget): unknown => {
    try {
      secrets.open(endpoint)
      unopened.delete(nameOf(endpoint))
      return undefined
    } catch (error) {
      unopened.add(nameOf(endpoint))
      return error
    }
  }
  return {
    fault,
    /** Whether requests to an endpoint can be signed, as far as is known: one that could not is looked at again. */
    canSign: async (key: EndpointKey): Promise<boolean> => {
      if (!unopened.has(nameOf(key))) return true
      const target = await findEndpointTarget(database, key, runtime.now())
      return target === undefined || fault({ ...key, ...target }) === undefined
    },
  }
}
