import type { Tables } from '../../src/db/tables.js'
import type { Caller } from '../../src/domain/caller/caller.js'
import type { Scope } from '../../src/domain/caller/scope.js'
import type { WriteContext } from '../../src/runtime/runtime.js'
import { createTestRuntime } from './runtime.js'

/** What a call of a caller needs, on these tables. */
export function scopeOn(tables: Tables, caller: Caller, context: Partial<WriteContext> = {}): Scope {
  return { runtime: createTestRuntime(), requestId: 'r1', ...context, caller, tables, reads: tables }
}
