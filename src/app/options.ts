import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import type { TlsIdentity } from '../http/tls-identity.js'
import type { Runtime } from '../runtime/runtime.js'
import type { Meters } from '../telemetry/meters.js'
import type { Tracing } from '../telemetry/tracing.js'

/** What the service is made of. */
export interface AppOptions {
  readonly config: Config
  readonly database: Database
  readonly runtime: Runtime
  readonly log: Logger
  /** Told of what happens; absent is no one. */
  readonly meters?: Meters | undefined
  readonly tracing?: Tracing | undefined
  /** With which certificate to speak TLS; absent is cleartext. */
  readonly tlsIdentity?: TlsIdentity | undefined
}
