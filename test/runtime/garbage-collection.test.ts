import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'

const module = new URL('../../dist/src/runtime/garbage-collection.js', import.meta.url).href

/** Makes objects that all survive, as at a start, and returns how often V8 decided to make later ones old at once. */
function decisionsForOld(preparation: string): number {
  const program = `${preparation}
    const kept = []
    const make = (index) => ({ index, list: [index], inner: { index } })
    for (let index = 0; index < 800_000; index++) kept.push(make(index))`
  const flags = ['--trace-pretenuring-statistics', '--input-type=module']
  const output = execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' })
  return [...output.matchAll(/ tenured=(\d+)/g)].filter(([, sites]) => sites !== '0').length
}

test('V8 goes on allocating young objects where earlier ones have survived', () => {
  // Later versions of Node do not always come to the decision.
  expect(decisionsForOld('')).toBeGreaterThanOrEqual(process.version.startsWith('v20.') ? 1 : 0)
  expect(decisionsForOld(`import { allocateAllYoung } from '${module}'; allocateAllYoung()`)).toBe(0)
})

/** Holds objects for good and texts of a megabyte for a while, and returns the most bytes that its heap then has. */
function peakOfTexts(preparation: string): number {
  const program = `${preparation}
    const kept = Array.from({ length: 300_000 }, (_, index) => ({ index, list: [index] }))
    const texts = []
    let peak = 0
    for (let index = 0; index < 2_000; index++) {
      texts[index % 16] = Buffer.alloc(1_000_000, 97).toString('latin1').slice(1)
      if (index > 500 && index % 10 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
    }
    console.log(kept.length && peak)`
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }))
}

test('V8 does not let what long texts leave behind grow to several times what is in use', () => {
  const most = 150_000_000
  // Later versions of Node collect earlier by themselves.
  expect(peakOfTexts('')).toBeGreaterThan(process.version.startsWith('v20.') ? most : 0)
  expect(peakOfTexts(`import { limitHeapGrowth } from '${module}'; limitHeapGrowth()`)).toBeLessThan(most)
})
