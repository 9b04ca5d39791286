import { expect, it } from '@jest/globals'
import { demoLines } from './transfer-text.js'

/** Moments of one object, each no later than those behind it. */
const orders = [
  ['createdAt', 'updatedAt', 'archivedAt'],
  ['createdAt', 'managerAssignedAt', 'deactivatedAt'],
  ['createdAt', 'statusUpdatedAt'],
  ['createdAt', 'runCompletedAt'],
]

/** Every object of a value, at any depth, with its path. */
function* objectsOf(value: unknown, path: string): Generator<readonly [path: string, object]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value]
  for (const [name, inner] of Object.entries(value)) yield* objectsOf(inner, `${path}.${name}`)
}

it('no timestamp in the demo precedes one that it depends on', () => {
  const objects = demoLines.flatMap((text, index) => [...objectsOf(JSON.parse(text), `line ${index + 1}`)])
  const faults = objects.flatMap(([path, object]) => {
    const moments = new Map<string, unknown>(Object.entries(object))
    return orders.flatMap((order) => {
      const given = order.flatMap((name) =>
        moments.has(name) ? [{ name, at: Date.parse(String(moments.get(name))) }] : [],
      )
      return given.flatMap(({ name, at }, index) => (at >= (given[index - 1]?.at ?? at) ? [] : [`${path}.${name}`]))
    })
  })
  expect(faults).toEqual([])
})
