import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { createBodyTurns, LONG_BODY, readBytes } from '../../src/call/body-reader.js'

/** In which turn of the event loop, counted from the first, each of the bodies is read that have arrived together. */
async function turnsOf(lengths: readonly number[]): Promise<number[]> {
  let turn = 0
  let isOver = false
  const count = async () => {
    while (!isOver) {
      await nextTurn()
      turn++
    }
  }
  const counting = count()
  const bodyTurns = createBodyTurns()
  const turns = await Promise.all(
    lengths.map(async (length) => {
      const request = new IncomingMessage(new Socket())
      request.push(Buffer.alloc(length))
      request.push(null)
      const bytes = await readBytes(request, length)
      await bodyTurns(bytes)
      expect(bytes).toHaveLength(length)
      return turn
    }),
  )
  isOver = true
  await counting
  return turns.map((each) => each - (turns[0] ?? 0))
}

describe('bodies that have arrived together', () => {
  it('are read one per turn of the event loop, first come first served, if they are long', async () => {
    expect(await turnsOf(Array.from({ length: 5 }, () => LONG_BODY))).toEqual([0, 1, 2, 3, 4])
  })

  it('are all read at once if they are short', async () => {
    expect(await turnsOf(Array.from({ length: 5 }, () => LONG_BODY - 1))).toEqual([0, 0, 0, 0, 0])
  })
})
