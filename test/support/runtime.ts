import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'
import type { Runtime } from '../../src/runtime/runtime.js'

/** A runtime whose clock the test moves; it starts at the machine's time. */
export interface TestRuntime extends Runtime {
  /** Moves the clock. */
  advance(millis: number): void
}

/** Makes a runtime for a test, with real ids and real randomness. */
export function createTestRuntime(): TestRuntime {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    newId: () => v7(),
    randomBytes: (size) => randomBytes(size),
    advance: (millis) => {
      offset += millis
    },
  }
}
