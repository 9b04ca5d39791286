import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import type { Tables } from '../../src/db/tables.js'
import { noFilter } from '../../src/domain/event/feed-page.js'
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

/** The id of the only event of a write. */
const newId = `(left(gen_random_uuid()::text, 32) || '0000')::uuid`

const waiting = (organizationId: string, writes: number) =>
  `INSERT INTO event_outbox (organization_id, first_event_id, last_event_id, event_count)
   SELECT '${organizationId}', id, id, 1 FROM (SELECT ${newId} AS id FROM generate_series(1, ${writes})) e`

/** Tables that are nearly empty, and known to be. */
const beginning = [
  ...growing.map((table) => `ALTER TABLE ${table} SET (autovacuum_enabled = off)`),
  `INSERT INTO event_heads (organization_id) VALUES ('${globex}')`,
  `VACUUM ANALYZE ${growing.join(', ')}`,
  // The sequencer's plans are kept from now on, made as on a node of a cluster, which has not the settings of a session.
  'SET enable_seqscan = on',
  ...Array.from({ length: 10 }, () => [waiting(globex, 1), `SELECT sequence_events('${globex}', 1000)`]).flat(),
  'RESET enable_seqscan',
]

/** What they have before the planner learns of it. */
const growth = [
  `INSERT INTO audit_events (id, organization_id, actor_kind, action, target_type, target_id)
   SELECT ${newId}, '${acme}', 'SYSTEM', 'priority.update', 'priority', 'priority-' || n % 50
     FROM generate_series(1, ${LOGGED}) n`,
  `INSERT INTO event_feed (organization_id, position, first_event_id, last_event_id, event_count)
   SELECT organization_id, row_number() OVER (), id, id, 1
     FROM audit_events WHERE organization_id = '${acme}' LIMIT ${EVENTS}`,
  `INSERT INTO event_heads (organization_id, position) VALUES ('${acme}', ${EVENTS})`,
  waiting(acme, 20_000),
  `DELETE FROM event_outbox WHERE organization_id = '${acme}'`,
  waiting(acme, 3),
  `INSERT INTO webhook_endpoints (id, organization_id, url, mode, position)
   VALUES ('endpoint', '${acme}', 'https://example.com/', 'BY_TARGET', 3000)`,
  `INSERT INTO webhook_deliveries (organization_id, event_id, endpoint_id, position, target_type, target_id, due_at)
   SELECT organization_id, first_event_id, 'endpoint', position, 'priority', 'priority-' || position % 20, now()
     FROM event_feed WHERE organization_id = '${acme}' AND position <= 3000`,
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
  'a round of the sequencer, after many others': [(tables) => sequenceEvents(tables, { organizationId: acme }), 200],
  'a page of the feed': [(tables) => readFeed(tables, page), 6_000],
  'a step of the cursor of an endpoint': [(tables) => takeEvents(tables, { ...endpoint, room: 100 }), 1_200],
  'a claim of deliveries in order of their targets': [
    (tables) => claimDeliveries(tables, { ...endpoint, room: 10 }),
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
