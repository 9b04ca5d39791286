import type { Meters } from '../../src/telemetry/meters.js'
import { createMeters } from '../../src/telemetry/meters.js'

/** Statements that a service runs besides calls. */
const inBackground =
  /^(?:find_expired|delete_|sweep_|apiKey\.updateMany$|sequence_events$|event(?:Head|Outbox)\.|webhook(?:Endpoint|Delivery)\.)/

/** Meters that also list the statements of calls, in their order. */
export function createTestMeters(): { readonly meters: Meters; readonly statements: string[] } {
  const statements: string[] = []
  const meters = createMeters({ version: 'test', commit: 'abc' })
  return {
    statements,
    meters: {
      ...meters,
      statements: {
        statement: (name, startedAt, failure) => {
          if (!inBackground.test(name)) statements.push(name)
          meters.statements.statement(name, startedAt, failure)
        },
        transaction: (startedAt, failure) => meters.statements.transaction(startedAt, failure),
      },
    },
  }
}
