import type { Tables } from '../../src/db/tables.js'
import { type CallContext, type Caller, keyPermissions } from '../../src/domain/caller/caller.js'
import { createPageTokens } from '../../src/domain/value/page-token.js'
import type { WriteContext } from '../../src/runtime/runtime.js'
import { createTestRuntime } from './runtime.js'

/** For calls that read no snapshots. */
function readSnapshot(): never {
  throw new Error('these tables read no snapshots')
}

/** For calls that wait for nothing. */
export const noWait = {
  release: () => {},
  reacquire: () => Promise.reject(new Error('this call waits for nothing')),
}

/** What a call reads and writes on these tables. */
export function tablesOn(tables: Tables) {
  return { tables, reads: tables, readSnapshot, pageTokens: createPageTokens(tables) }
}

/** A key of an organization that may do whatever keys can. */
export function organizationKey(organizationId: string): Caller {
  const reach = { scope: 'organization', permissions: new Set(keyPermissions) } as const
  return { kind: 'ORGANIZATION_API_KEY', id: 'key', name: 'Key', organizationId, reach }
}

/** What a call of a caller needs, on these tables. */
export function scopeOn(tables: Tables, caller: Caller, context: Partial<WriteContext> = {}): CallContext {
  const call = { runtime: createTestRuntime(), requestId: 'r1', ...context }
  return { ...call, caller, ...tablesOn(tables), ...noWait }
}
