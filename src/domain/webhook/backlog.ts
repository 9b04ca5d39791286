import type { Tables } from '../../db/tables.js'
import { readFeedStates } from '../../store/event.js'
import { endpointsWithDueAttempts } from '../../store/webhook-delivery.js'
import type { EnabledEndpoint, EndpointKey } from '../../store/webhook-endpoint.js'

export interface EndpointBehind extends EnabledEndpoint {
  /** How many events its cursor has before it, wanted or not. */
  readonly events: number
  /** For how long its oldest attempt has been due. */
  readonly lagSeconds: number
}

/** The endpoints that have events before them or attempts that are due, those that are furthest behind first. */
export async function findBehind(
  database: Tables,
  endpoints: readonly EnabledEndpoint[],
  now: Date,
): Promise<EndpointBehind[]> {
  if (endpoints.length === 0) return []
  const organizationIds = [...new Set(endpoints.map(({ organizationId }) => organizationId))]
  const feeds = await readFeedStates(database, { organizationIds })
  const heads = new Map(feeds.map(({ organizationId, position }) => [organizationId, position]))
  const due = new Map((await endpointsWithDueAttempts(database, now)).map((each) => [nameOf(each), each.since]))
  return endpoints
    .map((endpoint) => {
      const since = due.get(nameOf(endpoint))?.getTime()
      const events = Number(BigInt(heads.get(endpoint.organizationId) ?? 0) - endpoint.position)
      const lagSeconds = since === undefined ? 0 : (now.getTime() - since) / 1_000
      return { ...endpoint, events, lagSeconds, since }
    })
    .filter(({ events, since }) => events > 0 || since !== undefined)
    .sort((one, other) => other.lagSeconds - one.lagSeconds || other.events - one.events)
}

/** The name of an endpoint among those of all organizations. */
export const nameOf = ({ organizationId, id }: EndpointKey) => `${organizationId} ${id}`
