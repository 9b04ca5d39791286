import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { slowFiles, type TimedFile } from './slow-files.js'

/** A run of files that take a number of seconds each, and of one more. */
function run(usualSeconds: number, other: Partial<TimedFile>, count = 120): TimedFile[] {
  const usual = Array.from({ length: count }, (_, n) => ({
    path: `test/${n}.test.ts`,
    runtime: usualSeconds * 1000,
    processorShare: 1,
  }))
  return [...usual, { path: 'test/other.test.ts', runtime: 0, processorShare: 1, ...other }]
}

describe('a file that is not listed as slow', () => {
  it.each<[string, TimedFile[]]>([
    ['takes five seconds', run(0.4, { runtime: 5_000 })],
    ['waits for the processor most of the time', run(0.4, { runtime: 20_000, processorShare: 0.2 })],
    ['is one of few', run(0.4, { runtime: 60_000 }, 50)],
    ['runs on a slow machine, as all do', run(1.2, { runtime: 11_900 })],
  ])('may pass if it %s', (_, files) => {
    expect(slowFiles(files)).toEqual([])
  })

  it.each<[string, TimedFile[], string, string]>([
    ['takes longer', run(0.4, { runtime: 6_000 }), '6.0', '5.0'],
    ['takes longer, without the time of others', run(0.4, { runtime: 20_000, processorShare: 0.4 }), '8.0', '5.0'],
    ['takes ten times as long as others on a slow machine', run(1.2, { runtime: 13_000 }), '13.0', '12.0'],
  ])('is reported if it %s', (_, files, seconds, limit) => {
    expect(slowFiles(files)).toEqual([{ path: 'test/other.test.ts', seconds, limit }])
  })
})

describe('test/slow-tests.json', () => {
  const root = join(import.meta.dirname, '../..')
  const listed = Object.entries<{ reason: string; needs?: string[] }>(
    JSON.parse(readFileSync(join(root, 'test/slow-tests.json'), 'utf8')),
  )

  it.each(listed)('%s is there, for a reason, and its tools can be installed', (path, { reason, needs = [] }) => {
    const places = [path, ...needs.map((tool) => `scripts/install-${tool}.sh`)]
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
    expect(reason).toMatch(/^[a-z].{5,}/)
  })
})
