import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  idleLane,
  isIdle,
  type Lane,
  type LaneEffect,
  type LaneEvent,
  nextLane,
  type Outcome,
  roomIn,
} from '../../src/domain/webhook/lane.js'
import type { ClaimedDelivery } from '../../src/store/webhook-delivery.js'

const now = new Date('2026-01-01T00:00:00Z')
const accepted: Outcome = { eventId: 'event-1', attempts: 1, responseStatus: 200, responseText: '' }
const delivery = { eventId: 'event-1', attempts: 1, event: '{}', failingSince: null } as ClaimedDelivery
const nothing = { type: 'turnEnded', deliveries: [], hasEvents: false, isDue: false } as const
const woken: LaneEvent = { type: 'woken', isDue: true, failingSince: null }

/** The lane after the events, and what the last of them asks for. */
function laneAfter(...events: LaneEvent[]): readonly [Lane, readonly LaneEffect[]] {
  return events.reduce<readonly [Lane, readonly LaneEffect[]]>(([lane], event) => nextLane(lane, event), [idleLane, []])
}

describe('a lane', () => {
  it('has one turn at a time, and another for what comes meanwhile', () => {
    expect(laneAfter(woken)[1]).toEqual([{ type: 'beginTurn' }])
    expect(laneAfter(woken, { type: 'turnBegun', now }, woken)).toEqual([
      expect.objectContaining({ turn: 'again' }),
      [],
    ])
    const [lane, effects] = laneAfter(woken, { type: 'turnBegun', now }, woken, nothing)
    expect([lane.turn, effects.at(-1)]).toEqual(['underWay', { type: 'beginTurn' }])
    expect(isIdle(laneAfter(woken, { type: 'turnBegun', now }, nothing)[0])).toBe(true)
  })

  it('begins what it has claimed, and gives back the places that it does not use', () => {
    const taken: LaneEvent = { type: 'placesTaken', places: 3 }
    const [lane, effects] = laneAfter(woken, { type: 'turnBegun', now }, taken, { ...nothing, deliveries: [delivery] })
    expect(effects).toEqual([
      { type: 'release', places: 2 },
      { type: 'attempt', delivery },
    ])
    expect(lane).toMatchObject({ turn: 'none', inFlight: 1, places: 0, hasEvents: false, isDue: false })
  })

  it('has another turn if there may be more than it had room for', () => {
    const taken: LaneEvent = { type: 'placesTaken', places: 1 }
    for (const more of [{ hasEvents: true }, { isDue: true }]) {
      const claimed: LaneEvent = { ...nothing, deliveries: [delivery], ...more }
      const [lane, effects] = laneAfter(woken, { type: 'turnBegun', now }, taken, claimed)
      expect([effects.at(-1), lane]).toEqual([{ type: 'beginTurn' }, expect.objectContaining(more)])
    }
  })

  it('waits once for a place if all are taken, and still knows what it has to look for when there is one', () => {
    const noPlace: LaneEvent = { type: 'placesTaken', places: 0 }
    const [lane, effects] = laneAfter(woken, { type: 'turnBegun', now }, noPlace)
    expect(effects).toEqual([{ type: 'awaitPlace' }])
    expect(nextLane(lane, noPlace)[1]).toEqual([])
    const [waiting] = nextLane(lane, nothing)
    expect([isIdle(waiting), waiting.hasEvents, waiting.isDue]).toEqual([false, true, true])
    const [placed, turn] = nextLane(waiting, { type: 'placeCame' })
    expect([placed.places, turn]).toEqual([1, [{ type: 'beginTurn' }]])
    expect(nextLane({ ...placed, hasEvents: false }, nothing)[1]).toEqual([{ type: 'release', places: 1 }])
  })

  it.each<[string, Date | null, Outcome[], Date | null]>([
    ['the first failure is noted', null, ['failure'], now],
    ['a further one is not', new Date(0), ['failure'], new Date(0)],
    ['what was accepted ends it, whatever else has failed', new Date(0), ['failure', accepted], null],
    ['what did not take place says nothing', new Date(0), ['nothing'], new Date(0)],
  ])('knows since when its endpoint has only failed: %s', (_, failingSince, ended, expected) => {
    const lane: Lane = { ...idleLane, turn: 'underWay', inFlight: ended.length, failingSince, ended }
    const [begun] = nextLane(lane, { type: 'turnBegun', now })
    expect(begun).toMatchObject({ failingSince: expected, ended: [], inFlight: 0 })
  })

  it.each([
    [null, 4, 6],
    [59_999, 4, 6],
    [60_000, 0, 1],
    [60_000, 4, 0],
  ])('that has failed for %s ms has room beside %s in flight for %s', (millis, inFlight, room) => {
    const failingSince = millis === null ? null : new Date(now.getTime() - millis)
    expect(roomIn({ ...idleLane, failingSince, inFlight }, now)).toBe(room)
  })

  it('gives back each place once and records each attempt, in whatever order things happen', () => {
    const step = fc.constantFrom('wake', 'turn', 'end', 'place', 'attempt')
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(4), fc.nat(4)), { maxLength: 80 }), (steps) => {
        let lane = idleLane
        let [places, turns, waiting, sending, recorded, begun] = [0, 0, 0, 0, 0, 0]
        let isBegun = false
        const happen = (event: LaneEvent): void => {
          if (event.type === 'turnBegun') recorded += lane.ended.length
          const [next, effects] = nextLane(lane, event)
          lane = next
          for (const effect of effects) {
            if (effect.type === 'release') places -= effect.places
            else if (effect.type === 'beginTurn') turns++
            else if (effect.type === 'awaitPlace') waiting++
            else [sending, begun] = [sending + 1, begun + 1]
          }
          expect([turns, waiting]).toEqual([lane.turn === 'none' ? 0 : 1, lane.awaitsPlace ? 1 : 0])
          expect(places).toBe(lane.places + sending)
        }
        const endTurn = (claimed: number): void => {
          turns--
          isBegun = false
          const deliveries = Array.from({ length: Math.min(claimed, lane.places) }, () => delivery)
          happen({ ...nothing, deliveries })
        }
        const act = (name: string, some: number, claimed: number): void => {
          if (name === 'wake') happen(woken)
          if (name === 'turn' && turns > 0 && !isBegun) {
            isBegun = true
            happen({ type: 'turnBegun', now })
            const taken = Math.min(some, roomIn(lane, now))
            places += taken
            happen({ type: 'placesTaken', places: taken })
          }
          if (name === 'end' && isBegun) endTurn(claimed)
          if (name === 'place' && waiting > 0) {
            ;[waiting, places] = [waiting - 1, places + 1]
            happen({ type: 'placeCame' })
          }
          if (name === 'attempt' && sending > 0) {
            ;[sending, places] = [sending - 1, places - 1]
            happen({ type: 'attemptEnded', outcome: 'nothing', isDue: false })
          }
        }
        for (const [name, some, claimed] of steps) act(name, some, claimed)
        for (let left = 500; left > 0 && !isIdle(lane); left--) {
          for (const name of ['place', 'attempt', 'turn', 'end']) act(name, 1, 0)
        }
        expect([isIdle(lane), places, recorded]).toEqual([true, 0, begun])
      }),
    )
  })
})
