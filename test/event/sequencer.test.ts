import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { systemTiming, type Timing } from '../../src/db/retries.js'
import type { Tables } from '../../src/db/tables.js'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { FeedSignals } from '../../src/domain/event/feed-signals.js'
import { runSequencer } from '../../src/domain/event/sequencer.js'
import { systemRuntime as runtime } from '../../src/runtime/runtime.js'
import { createEventHead, sequenceEvents } from '../../src/store/event.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture } from '../support/fixture.js'
import type { Database } from '../support/sql.js'

const { acme } = fixture

describe('the sequencer', () => {
  let testDatabase: TestDatabase
  let database: Database
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    await createEventHead(database, acme)
  })
  afterAll(() => testDatabase.drop())

  let signals: FeedSignals
  let rounds: number[]
  let stop: AbortController
  let running: Promise<void> | undefined
  beforeEach(() => {
    signals = new FeedSignals()
    rounds = []
    stop = new AbortController()
  })
  afterEach(async () => {
    stop.abort(null)
    await running
  })

  const fail = (err: unknown) => {
    throw err
  }
  const run = (timing: Timing = systemTiming, onFailure: (err: unknown) => void = fail, tables: Tables = database) => {
    const log = { warn: ({ err }: { err: unknown }) => onFailure(err) }
    const observer = { sequenced: (events: number) => rounds.push(events), waiting: () => undefined }
    running = runSequencer({ database: tables, runtime, timing, log, signals, observer, signal: stop.signal })
  }
  const record = (tables: Tables = database) => {
    const event = { organizationId: acme, action: 'organization.update' as const }
    return recordAuditEvents(tables, [{ ...event, targetId: acme, teamId: '' }], { actor: systemActor, runtime })
  }
  const write = async () => {
    await record()
    signals.committed(acme)
  }
  const placed = () => rounds.reduce((sum, events) => sum + events, 0)
  const lastPosition = async () => {
    const { position } = await database.models.eventHead.findFirstOrThrow({ where: { organizationId: acme } })
    return String(position)
  }
  const next = (after: string) => signals.beyond(acme, after, 10_000, stop.signal)

  it('lets events gather for which nobody waits', async () => {
    run()
    const start = performance.now()
    for (let written = 0; written < 30; written++) {
      await write()
      await wait(5)
    }
    await eventually(async () => expect(placed()).toBe(30))
    expect(rounds.length).toBeLessThan((performance.now() - start) / 200 + 3)
  })

  it('places what a process has left behind that has died', async () => {
    run()
    await wait(50)
    await record()
    await eventually(async () => expect(placed()).toBe(1))
  })

  it.each(['read_feed_states', 'sequence_events'])('tries again once a second if %s fails', async (failing) => {
    const warned: unknown[] = []
    const statement: Tables['run'] = (each, parameters) =>
      each.name === failing ? Promise.reject(new Error('it fails')) : database.run(each, parameters)
    await record()
    const waiting = next('1000000').catch(() => false)
    let now = 0
    const timing: Timing = {
      ...systemTiming,
      now: () => now,
      sleep: async (millis) => {
        now += millis
        await wait(1)
      },
    }
    run(timing, (err) => void warned.push(err), { ...database, run: statement })
    await eventually(() => expect(now).toBeGreaterThan(4_000))
    expect(Math.abs(warned.length - now / 1_000)).toBeLessThanOrEqual(1.5)
    stop.abort(null)
    expect(await waiting).toBe(false)
    await sequenceEvents(database, { organizationId: acme })
  })

  describe('while events gather without end, and no outbox is swept', () => {
    beforeEach(async () => {
      run({ ...systemTiming, now: () => 0 })
      await wait(50)
    })

    it('places events for whoever waits, whichever process has written them', async () => {
      for (let written = 1; written < 5; written++) {
        await record()
        await wait(50)
        expect(placed()).toBe(written - 1)
        const last = await lastPosition()
        expect(await next(last)).toBe(true)
        expect(placed()).toBe(written)
      }
    })

    it('notifies whoever waits of events that another process has placed', async () => {
      const isBeyond = next(await lastPosition())
      // This process never sees them without positions.
      await database.transaction(async (tables) => {
        await record(tables)
        await sequenceEvents(tables, { organizationId: acme })
      })
      expect(await isBeyond).toBe(true)
      expect(placed()).toBe(0)
    })
  })
})
