import type { JsonObject } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { groupWriteFrom } from '../../src/scim/groups.js'
import { applyPatch } from '../../src/scim/patch.js'
import { patchChangesFrom } from '../../src/scim/patch-operation.js'
import { projected } from '../../src/scim/print.js'
import { readResource } from '../../src/scim/read.js'
import { ScimReport } from '../../src/scim/request.js'
import { groupType, userType } from '../../src/scim/resource-types.js'
import { processorMillis } from '../support/processor-time.js'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const attempt = (work: () => void) => {
  try {
    work()
  } catch {
    // Whether it is refused is not asked here.
  }
}
const patched = (Operations: JsonObject[]) =>
  attempt(() => {
    const report = new ScimReport()
    return applyPatch({ userName: 'ada' }, patchChangesFrom({ Operations }, userType, report), report)
  })
const patchedGroup = (Operations: JsonObject[]) =>
  groupWriteFrom(patchChangesFrom({ Operations }, groupType, new ScimReport()))
/** Spellings of one name in different cases. */
const spellings = (name: string, count: number) =>
  numbers(count).map((number) =>
    Array.from(name, (letter, index) => ((number >> index) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join(''),
  )
const path = 'urn:ietf:params:scim:schemas:core:2.0:User:displayName'

/** Work on a request that grows with a size; the largest is a request of about a mebibyte. */
const rows: readonly (readonly [string, size: number, (size: number) => void])[] = [
  ['a member of brackets', 200_000, (size) => patched([{ op: 'add', value: { ['['.repeat(size)]: 1 } }])],
  ['a path of brackets', 200_000, (size) => patched([{ op: 'add', path: '['.repeat(size), value: 1 }])],
  [
    'operations of a hundred emails',
    160,
    (size) =>
      patched(
        numbers(size).map((operation) => ({
          op: operation % 2 === 0 ? 'add' : 'remove',
          path: 'emails',
          value: numbers(100).map((index) => ({ value: `${index}@example.com`, type: 'home' })),
        })),
      ),
  ],
  [
    'members that go and come',
    10_000,
    (size) => {
      const value = numbers(size).map((index) => ({ value: `0198a1c0-7d00-7000-8000-${index}` }))
      patchedGroup([
        { op: 'remove', path: 'members', value },
        { op: 'add', path: 'members', value },
      ])
    },
  ],
  [
    'members in operations of their own',
    1_000,
    (size) => {
      const operations = numbers(size).map((index) => ({
        op: 'add' as const,
        path: 'members',
        value: [{ value: `${index}` }],
      }))
      patchedGroup(operations)
    },
  ],
  [
    'attributes in every spelling',
    16_000,
    (size) => {
      projected(userType, { attributes: spellings(path, size), excludedAttributes: [] })
    },
  ],
  [
    'members in every spelling',
    16_000,
    (size) => patched([{ op: 'add', value: Object.fromEntries(spellings(path, size).map((name) => [name, 'Ada'])) }]),
  ],
  [
    'unknown members',
    40_000,
    (size) =>
      attempt(() =>
        readResource(
          Object.fromEntries(numbers(size).map((index) => [`colour${index}`, 1])),
          userType,
          new ScimReport(),
        ),
      ),
  ],
]

describe('the processor time of a SCIM request', () => {
  const millisOf = (work: () => void): number => {
    const best = [1, 2, 3].map(() => {
      const before = processorMillis(process.pid)
      work()
      return processorMillis(process.pid) - before
    })
    return Math.min(...best)
  }
  /** Reading a plain mebibyte of JSON, on this machine and in this run. */
  let plain: number
  beforeAll(() => {
    const text = JSON.stringify(Object.fromEntries(numbers(64_000).map((index) => [`colour${index}`, 1])))
    plain = millisOf(() => void JSON.parse(text))
    for (const [, size, work] of rows) work(size / 10)
  })

  it.each(rows)('grows linearly with its size: %s', (_, size, work) => {
    // What else happens in the process only adds to a time, and is in none of several rounds alike.
    const rounds = [1, 2, 3].map(() => {
      const quarter = millisOf(() => work(size / 4))
      const whole = millisOf(() => work(size))
      return { whole, growth: (whole - plain) / quarter }
    })
    expect(Math.min(...rounds.map(({ whole }) => whole))).toBeLessThan(10 * plain)
    expect(Math.min(...rounds.map(({ growth }) => growth))).toBeLessThan(6)
  })
})
