import type { Runtime } from './runtime.js'

/** What a write needs besides its data: ids for what it makes, and what the audit log records about the call. */
export interface WriteContext {
  readonly runtime: Runtime
  readonly requestId: string
  /** The `If-Match` of the request, as it was sent. */
  readonly ifMatch?: string | undefined
}
