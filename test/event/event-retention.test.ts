import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { sweepOrganizations } from '../../src/domain/sweeper.js'
import { createEventHead } from '../../src/store/event.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex } = fixture
const DAY_SECONDS = 86_400
const event = { action: 'team.create', targetId: 't' } as const

describe('events that are too old', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: acme })).token
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    for (const table of ['event_outbox', 'event_feed', 'event_heads', 'audit_events']) {
      await service.database.execute(`DELETE FROM ${table} WHERE organization_id IN ($1, $2)`, [acme, globex])
    }
  })

  const begun = Date.now()
  /** The id of an event of an age in days, as SQL. */
  const idOfAge = (age: string, random: string, place: string) =>
    `(lpad(to_hex((${begun} - ${age} * ${DAY_SECONDS * 1_000})::bigint), 12, '0') || '7000'
      || ${random} || ${place})::uuid`

  /** Events of these ages in days, at the positions from 1 on. */
  const place = (ages: readonly number[], organizationId: string = acme) =>
    service.database.execute(
      `WITH aged AS (
         SELECT ${idOfAge('age', `substr(md5(random()::text), 1, 12)`, `'0000'`)} AS id, age, position FROM unnest($2::float8[]) WITH ORDINALITY a (age, position)
       ), logged AS (
         INSERT INTO audit_events (id, organization_id, occurred_at, actor_kind, action, target_type, target_id)
         SELECT id, $1, now() - make_interval(secs => age * ${DAY_SECONDS}), 'SYSTEM', 'team.create', 'team', 't' FROM aged
       ), head AS (
         INSERT INTO event_heads (organization_id, position) VALUES ($1, cardinality($2))
       )
       INSERT INTO event_feed (organization_id, position, first_event_id, last_event_id, event_count, sequenced_at)
       SELECT $1, position, id, id, 1, now() - make_interval(secs => age * ${DAY_SECONDS}) FROM aged`,
      [organizationId, ages],
    )
  /** Sweeps, and returns how many events were deleted. */
  const sweep = async (eventRetention: number, auditRetention?: number) => {
    const deleted = { feed: 0, audit_log: 0 }
    await sweepOrganizations(service.database, '', {
      runtime: service.runtime,
      retention: { eventRetention, auditRetention },
      observer: {
        eventsDeleted: (from, rows) => {
          deleted[from] += rows
        },
      },
    })
    return deleted
  }
  const positions = async (organizationId: string = acme) => {
    const kept = `SELECT position::int FROM event_feed WHERE organization_id = $1 ORDER BY 1`
    return (await service.database.query(kept, [organizationId])).map(({ position }) => position)
  }
  const logged = async () => {
    const count = `SELECT count(*)::int FROM audit_events WHERE organization_id = $1`
    return (await service.database.query(count, [acme]))[0]?.['count']
  }

  it.each([
    ['all that are before the last old one', [95, 94, 93, 5, 4], [3, 4, 5]],
    ['all but the last', [95, 94, 93], [3]],
    ['none if all are young', [89, 88, 1], [1, 2, 3]],
    ['none if only the first is old', [95, 1], [1, 2]],
    ['none behind a young one', [1, 95, 95], [1, 2, 3]],
    ['none of one', [95], [1]],
    ['none of none', [], []],
  ])('leave the feed: %s', async (_, ages, kept) => {
    await place(ages)
    await sweep(90)
    expect(await positions()).toEqual(kept)
    expect(await logged()).toBe(ages.length)
  })

  it('leave the feed in batches, and that of another organization with other events not at all', async () => {
    await place([...Array.from({ length: 2_500 }, () => 95), 1])
    await place([95, 89, 88], globex)
    expect(await sweep(90)).toEqual({ feed: 2_499, audit_log: 0 })
    expect(await positions()).toEqual([2_500, 2_501])
    expect(await positions(globex)).toEqual([1, 2, 3])
    expect(await sweep(90)).toEqual({ feed: 0, audit_log: 0 })
  })

  it('leave the feed and the audit log with the others of their write', async () => {
    const write = (count: number) =>
      recordAuditEvents(
        service.database,
        Array.from({ length: count }, () => ({ ...event, organizationId: acme })),
        { actor: systemActor, runtime: service.runtime },
      )
    await createEventHead(service.database, acme)
    await write(3)
    await write(4)
    await eventually(async () => expect(await positions()).toEqual([1, 4]))
    const aged = (id: string) =>
      idOfAge('95.0', `substr(${id}::text, 20, 4) || substr(${id}::text, 25, 8)`, `right(${id}::text, 4)`)
    await service.database.execute(
      `UPDATE event_feed SET sequenced_at = now() - interval '95 days', first_event_id = ${aged('first_event_id')},
              last_event_id = ${aged('last_event_id')}`,
    )
    await service.database.execute(
      `UPDATE audit_events SET occurred_at = now() - interval '95 days', id = ${aged('id')}`,
    )
    expect(await sweep(90, 90)).toEqual({ feed: 3, audit_log: 3 })
    expect(await positions()).toEqual([4])
    expect(await logged()).toBe(4)
  })

  it('stay in the audit log for ever, or as long as is set, and while the feed or the outbox has them', async () => {
    await place([130, 125, 110, 105, 104, 1])
    await sweep(90)
    expect(await logged()).toBe(6)
    expect(await sweep(90, 120)).toEqual({ feed: 0, audit_log: 2 })
    await service.database.execute(
      `INSERT INTO event_outbox (organization_id, first_event_id, last_event_id, event_count)
       SELECT organization_id, id, id, 1 FROM audit_events WHERE organization_id = $1 ORDER BY occurred_at LIMIT 1`,
      [acme],
    )
    expect(await sweep(90, 100)).toEqual({ feed: 0, audit_log: 1 })
    // The sequencer may have placed what was put into the outbox.
    expect((await positions()).slice(0, 2)).toEqual([5, 6])
    expect(await logged()).toBe(3)
  })

  it('end the cursors at them, but none of readers that had read all', async () => {
    await place([95, 94, 93])
    const read = (cursor: string) => service.rest('GET', `/v2/events?cursor=${cursor}`, { token })
    const old = (await service.rest('GET', '/v2/events?pageSize=1', { token })).json.nextCursor
    const last = (await read('latest')).json.nextCursor
    await sweep(90)
    const { status, json } = await read(old)
    expect([status, json.code]).toEqual([400, 'out_of_range'])
    expect(json.detail.debug).toMatchObject({
      reason: 'ERROR_REASON_EVENT_CURSOR_OUT_OF_RANGE',
      metadata: { earliestPosition: '3' },
    })
    expect((await read(last)).json).toMatchObject({ data: [], nextCursor: last })
    expect((await read('')).json.data).toMatchObject([{ position: '3' }])
  })
})
