import type { Logger } from 'pino'
import type { NodeRequest } from '../call/node-http.js'
import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import type { StatementObserver, TablesUser } from '../db/tables.js'
import type { TlsIdentity } from '../http/tls-identity.js'
import type { Runtime } from '../runtime/runtime.js'
import type { Meters } from '../telemetry/meters.js'
import type { Tracing } from '../telemetry/tracing.js'

export interface AppOptions {
  readonly config: Config
  readonly database: Database
  readonly runtime: Runtime
  readonly log: Logger
  /** Observes what happens; absent is nobody. */
  readonly meters?: Meters | undefined
  readonly tracing?: Tracing | undefined
  /** The certificate and key for TLS. Absent: cleartext. */
  readonly tlsIdentity?: TlsIdentity | undefined
}

export type ServiceTables = ReturnType<typeof createServiceTables>

/** How long looking up the caller may take once the query has begun: longer than anybody waits for a connection. */
const AUTHENTICATION_MS = 2_000

/** How long each step of a report of a leak may take: the limiter waits for other reports of the same address. */
const REVOCATION_MS = 5_000

export function createServiceTables({ database, meters, tracing }: AppOptions) {
  const observers = meters === undefined ? [] : [meters.statements]
  const withObserver = (other: StatementObserver | undefined) =>
    other === undefined ? observers : [...observers, other]
  const lookups = tracing?.createSharedStatements()
  return {
    /** Tables for work that no call started. */
    shared: database.tablesFor({ observers }),
    /** The tables through which credentials are looked up. */
    credentials: database.tablesFor({ timeoutMillis: AUTHENTICATION_MS, observers: withObserver(lookups) }),
    /** The look-ups of callers that traced calls wait for. */
    lookups,
    /** The tables of one call, whose work counts against an organization, or an address. */
    ofCall: (request: NodeRequest, user: Pick<TablesUser, 'organizationId' | 'address'>) =>
      database.tablesFor({ ...user, call: request, observers: withObserver(tracing?.callOf(request)) }),
    /** The tables for reports of leaks, which complete even if the client disconnects, and are answered in time. */
    ofRevocation: (request: NodeRequest, address: string) =>
      database.tablesFor({ address, timeoutMillis: REVOCATION_MS, observers: withObserver(tracing?.callOf(request)) }),
  }
}
