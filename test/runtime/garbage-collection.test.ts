import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'

const module = new URL('../../dist/src/runtime/garbage-collection.js', import.meta.url).href

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
