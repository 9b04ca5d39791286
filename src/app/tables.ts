import type { NodeRequest } from '../call/node-http.js'
import type { Database } from '../db/database.js'
import type { Tables, UserTables } from '../db/tables.js'
import type { Meters } from '../telemetry/meters.js'
import type { SharedStatements } from '../telemetry/shared-statements.js'
import type { Tracing } from '../telemetry/tracing.js'

/** The tables of a service, told apart by who waits for them and who is told of their statements. */
export interface ServiceTables {
  /** Those of nobody's call. */
  readonly shared: Tables
  /** Those with which callers are looked up. */
  readonly credentials: Tables
  /** The look-ups of callers that traced calls wait for. */
  readonly lookups: SharedStatements | undefined
  /** Those of the call of a request, on account of an organization. `outlives`: it goes on when nobody waits for it. */
  ofCall(request: NodeRequest, organizationId: string | undefined, outlives?: boolean): UserTables
}

/** How long looking up the caller may take once the query has begun: longer than anybody waits for a connection. */
const AUTHENTICATION_MS = 2_000

/** Makes the tables of one service. */
export function createServiceTables(options: {
  readonly database: Database
  readonly meters?: Meters | undefined
  readonly tracing?: Tracing | undefined
}): ServiceTables {
  const { database, meters, tracing } = options
  const observers = meters === undefined ? [] : [meters.statements]
  const lookups = tracing?.createSharedStatements()
  return {
    shared: database.tablesFor({ observers }),
    credentials: database.tablesFor({
      timeoutMillis: AUTHENTICATION_MS,
      observers: lookups === undefined ? observers : [...observers, lookups],
    }),
    lookups,
    ofCall: (request, organizationId, outlives = false) => {
      const traced = tracing?.callOf(request)
      return database.tablesFor({
        call: outlives ? undefined : request,
        organizationId,
        observers: traced === undefined ? observers : [...observers, traced],
      })
    },
  }
}
