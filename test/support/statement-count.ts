import type { Meters } from '../../src/telemetry/meters.js'
import { createMeters } from '../../src/telemetry/meters.js'

/** What gives positions to events and sends them, which goes on beside calls. */
export const isOfFeed =
  /^(?:sequence_events$|\w+_webhook_\w+$|eventOutbox\.(?:groupBy|findUnique)$|eventHead\.|webhook(?:Endpoint|Delivery)\.|auditEvent\.findUnique$)/

/** What writes the events of a call, and puts them into the outbox of the feed. */
export const eventWrites =
  process.env['TEST_ON'] === 'citus' ? ['insert_audit_events', 'insert_event_outbox'] : ['insert_events_and_outbox']

/** What else a service runs besides calls. */
const inBackground = /^(?:find_expired|delete_|sweep_|apiKey\.updateMany$)/

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
          if (!inBackground.test(name) && !isOfFeed.test(name)) statements.push(name)
          meters.statements.statement(name, startedAt, failure)
        },
        transaction: (startedAt, failure) => meters.statements.transaction(startedAt, failure),
      },
    },
  }
}
