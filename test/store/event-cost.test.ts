import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import type { Tables } from '../../src/db/tables.js'
import { noFilter } from '../../src/domain/event/feed-part.js'
import { readFeed, sequenceEvents } from '../../src/store/event.js'
import { takeEvents } from '../../src/store/webhook-cursor.js'
import { claimDeliveries } from '../../src/store/webhook-delivery.js'
import { eventually } from '../support/eventually.js'
import { fixture } from '../support/fixture.js'
import {
  createPlannedDatabase,
  keepPlan,
  type PlanNode,
  pagesRead,
  recordedTables,
  type SentStatement,
} from '../support/query-plan.js'
import type { Database } from '../support/sql.js'

const { acme, globex } = fixture
const EVENTS = 6_000
/** Of which the feed has the first. */
const LOGGED = 60_000
const endpoint = { organizationId: acme, id: 'endpoint' }

const growing = ['audit_events', 'event_outbox', 'event_feed', 'webhook_deliveries']

/** Tables that are nearly empty, and known to be. */
const beginning = [
  ...growing.map((table) => `ALTER TABLE ${table} SET (autovacuum_enabled = off)`),
  `INSERT INTO event_heads (organization_id) VALUES ('${globex}')`,
  `INSERT INTO event_outbox (organization_id, event_ids) VALUES ('${globex}', ARRAY[gen_random_uuid()])`,
  `VACUUM ANALYZE ${growing.join(', ')}`,
  // The sequencer's plans are kept from now on.
  'SET plan_cache_mode = force_generic_plan',
  `SELECT sequence_events('${globex}', 1000)`,
]

/** What they have before the planner learns of it. */
const growth = [
  `INSERT INTO audit_events (id, organization_id, actor_kind, action, target_type, target_id)
   SELECT gen_random_uuid(), '${acme}', 'SYSTEM', 'priority.update', 'priority', 'priority-' || n % 50
     FROM generate_series(1, ${LOGGED}) n`,
  `INSERT INTO event_feed (organization_id, position, event_ids)
   SELECT '${acme}', 1 + 20 * (place / 20), array_agg(id)
     FROM (SELECT id, row_number() OVER () - 1 AS place FROM audit_events WHERE organization_id = '${acme}' LIMIT ${EVENTS}) e
    GROUP BY place / 20`,
  `INSERT INTO event_heads (organization_id, position) VALUES ('${acme}', ${EVENTS})`,
  `INSERT INTO event_outbox (organization_id, event_ids)
   SELECT '${acme}', ARRAY[gen_random_uuid()] FROM generate_series(1, 20000)`,
  `DELETE FROM event_outbox WHERE organization_id = '${acme}'`,
  `INSERT INTO event_outbox (organization_id, event_ids)
   SELECT '${acme}', ARRAY[gen_random_uuid()] FROM generate_series(1, 20)`,
  `INSERT INTO webhook_endpoints (id, organization_id, url, mode, position)
   VALUES ('endpoint', '${acme}', 'https://example.com/', 'BY_TARGET', 3000)`,
  `INSERT INTO webhook_deliveries (organization_id, event_id, endpoint_id, position, target_type, target_id, due_at)
   SELECT '${acme}', event_id, 'endpoint', f.position + place - 1, 'priority', 'priority-' || place, now()
     FROM event_feed f, unnest(event_ids) WITH ORDINALITY e (event_id, place)
    WHERE organization_id = '${acme}' AND f.position + place - 1 <= 3000`,
]

const page = {
  ...noFilter,
  organizationId: acme,
  teamIds: null,
  after: '3000',
  afterEventId: '',
  pageSize: 1_000,
  lookedAt: 1_000,
}

/** What is done with events, and how many pages of tables and indexes it may read, each as often as it is read. */
const works: Record<string, [work: (tables: Tables) => Promise<unknown>, pages: number]> = {
  'a round of the sequencer, after many others': [(tables) => sequenceEvents(tables, acme), 200],
  'a page of the feed': [(tables) => readFeed(tables, page), 6_000],
  'a step of the cursor of an endpoint': [(tables) => takeEvents(tables, { ...endpoint, room: 100 }), 1_200],
  'a claim of deliveries in order of their targets': [
    (tables) => claimDeliveries(tables, { ...endpoint, room: 10, leaseSeconds: 60 }),
    5_000,
  ],
}

describe('on tables that have grown since their plans were made', () => {
  let database: Database
  let client: pg.Client
  let drop: () => Promise<void>
  const plans = new Map<string, () => Promise<PlanNode>>()

  beforeAll(async () => {
    ;({ database, client, drop } = await createPlannedDatabase(beginning))
    for (const [name, [work]] of Object.entries(works)) {
      const [first] = await statementsOf(work)
      if (first === undefined) throw new Error('nothing was sent')
      plans.set(name, await keepPlan(client, first))
    }
    for (const statement of growth) await client.query(statement)
  })
  afterAll(() => drop())

  it.each(Object.entries(works))('few pages are read for %s', async (name, [, pages]) => {
    // Rows that have left are noted as gone only once no session of the server can see them.
    await eventually(async () => {
      await client.query('BEGIN')
      const plan = await plans.get(name)?.()
      await client.query('ROLLBACK')
      expect(plan && pagesRead(plan)).toBeLessThan(pages)
    })
  })

  /** The statements of work that is undone. */
  const statementsOf = async (work: (tables: Tables) => Promise<unknown>) => {
    const sent: SentStatement[] = []
    const undone = database.transaction(async (transaction) => {
      const recorded: Tables = { ...recordedTables(transaction, sent), transaction: (part) => part(recorded) }
      await work(recorded)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    return sent
  }
})
