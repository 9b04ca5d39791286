import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { systemTiming, type Timing } from '../../src/db/retries.js'
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

  const run = (timing: Timing) => {
    const log = {
      warn: ({ err }: { err: unknown }) => {
        throw err
      },
    }
    const observer = { sequenced: (events: number) => rounds.push(events), waiting: () => undefined }
    running = runSequencer({ database, runtime, timing, log, signals, observer, signal: stop.signal })
  }
  const record = () => {
    const event = { organizationId: acme, action: 'organization.update' as const, targetType: 'organization' }
    return recordAuditEvents(database, [{ ...event, targetId: acme, teamId: '' }], { actor: systemActor, runtime })
  }
  const write = async () => {
    await record()
    signals.committed(acme)
  }
  const placed = () => rounds.reduce((sum, events) => sum + events, 0)

  it('lets events gather while nobody reads them', async () => {
    run(systemTiming)
    const start = performance.now()
    for (let written = 0; written < 30; written++) {
      await write()
      await wait(5)
    }
    await eventually(async () => expect(placed()).toBe(30))
    expect(rounds.length).toBeLessThan((performance.now() - start) / 200 + 3)
  })

  it('tells whoever begins to wait of the events that another process places', async () => {
    run(systemTiming)
    await wait(100)
    const { position } = await database.models.eventHead.findFirstOrThrow({ where: { organizationId: acme } })
    const start = performance.now()
    const isBeyond = signals.beyond(acme, String(position), 10_000, stop.signal)
    await record()
    await sequenceEvents(database, acme)
    expect(await isBeyond).toBe(true)
    expect(performance.now() - start).toBeLessThan(700)
  })

  describe('while events would gather without end', () => {
    beforeEach(async () => {
      const sleep: Timing['sleep'] = (millis, signal) =>
        systemTiming.sleep(millis === 200 && signal !== stop.signal ? 60_000 : millis, signal)
      run({ ...systemTiming, sleep })
      await write()
      await eventually(async () => expect(placed()).toBe(1))
    })

    it('places events at once for whoever has read all others', async () => {
      await write()
      signals.emit('read')
      await eventually(async () => expect(placed()).toBe(2))
    })

    it('places events at once for whoever waits', async () => {
      signals.emit('read')
      const waiting = signals.beyond(acme, '1000000', 10_000, stop.signal).catch(() => false)
      for (let written = 2; written < 5; written++) {
        const head = await database.models.eventHead.findFirstOrThrow({ where: { organizationId: acme } })
        const isBeyond = signals.beyond(acme, String(head.position), 10_000, stop.signal)
        await write()
        expect(await isBeyond).toBe(true)
        expect(placed()).toBe(written)
      }
      stop.abort(null)
      expect(await waiting).toBe(false)
    })
  })
})
