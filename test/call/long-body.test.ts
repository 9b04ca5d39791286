import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { LONG_BODY, turnOfBody } from '../../src/call/body-reader.js'

/** In which turn of the event loop, counted from now, each of the bodies is read. */
async function turnsOf(bodies: readonly Uint8Array[]): Promise<number[]> {
  let turn = 0
  let isOver = false
  const count = async () => {
    while (!isOver) {
      await nextTurn()
      turn++
    }
  }
  const counting = count()
  const turns = await Promise.all(
    bodies.map(async (bytes) => {
      await turnOfBody(bytes)
      return turn
    }),
  )
  isOver = true
  await counting
  return turns
}

describe('bodies that have arrived together', () => {
  it('are read one per turn of the event loop, first come first served, if they are long', async () => {
    const turns = await turnsOf(Array.from({ length: 5 }, () => new Uint8Array(LONG_BODY)))
    expect(turns).toEqual(turns.map((_, index) => (turns[0] ?? 0) + index))
  })

  it('are all read at once if they are short', async () => {
    expect(await turnsOf(Array.from({ length: 5 }, () => new Uint8Array(LONG_BODY - 1)))).toEqual([0, 0, 0, 0, 0])
  })
})
