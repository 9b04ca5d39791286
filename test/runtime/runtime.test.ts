import { describe, expect, it } from '@jest/globals'
import { consecutiveIds, systemRuntime } from '../../src/runtime/runtime.js'

describe('ids of what is made together', () => {
  const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  it('ascend, with no other id between them', () => {
    const before = systemRuntime.newId()
    const ids = consecutiveIds(systemRuntime, 500)
    const others = consecutiveIds(systemRuntime, 2)
    const all = [before, ...ids, ...others, systemRuntime.newId()]
    expect(new Set(all).size).toBe(504)
    expect(all.toSorted()).toEqual(all)
    for (const id of ids) expect(id).toMatch(UUID_V7)
    expect(BigInt(`0x${ids[499]?.replaceAll('-', '')}`) - BigInt(`0x${ids[0]?.replaceAll('-', '')}`)).toBe(499n)
  })

  it('are at most 65,536', () => {
    expect(new Set(consecutiveIds(systemRuntime, 65_536)).size).toBe(65_536)
    expect(() => consecutiveIds(systemRuntime, 65_537)).toThrow(RangeError)
    expect(consecutiveIds(systemRuntime, 0)).toEqual([])
  })
})
