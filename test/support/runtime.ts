import { type Runtime, systemRuntime } from '../../src/runtime/runtime.js'

/** A runtime whose clock the test moves; it starts at the machine's time. */
export interface TestRuntime extends Runtime {
  /** Moves the clock. */
  advance(millis: number): void
}

/** Makes a runtime for a test, with real ids and real randomness. */
export function createTestRuntime(): TestRuntime {
  let offset = 0
  return {
    ...systemRuntime,
    now: () => new Date(Date.now() + offset),
    advance: (millis) => {
      offset += millis
    },
  }
}
