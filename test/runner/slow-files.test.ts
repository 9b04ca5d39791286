import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { slowFiles, type TimedFile } from './slow-files.js'

/** A run of files that take a number of seconds each, and of one more. */
function run(usualSeconds: number, seconds: number, { count = 120, share = 1 } = {}): TimedFile[] {
  const usual = Array.from({ length: count }, (_, n) => ({ path: `test/${n}.test.ts`, seconds: usualSeconds, share }))
  return [...usual, { path: 'test/other.test.ts', seconds, share }]
}

describe('a file that is not listed as slow', () => {
  it.each<[string, TimedFile[]]>([
    ['takes five seconds', run(0.4, 5)],
    ['is one of few', run(0.4, 60, { count: 50 })],
    ['runs on a slow machine, as all do', run(1.2, 11.9)],
    ['waits for the processor', run(0.4, 7, { share: 0.7 })],
    ['runs beside many other programs', run(0.4, 60, { share: 0.3 })],
  ])('may pass if it %s', (_, files) => {
    expect(slowFiles(files)).toEqual([])
  })

  it.each<[string, TimedFile[], string, string]>([
    ['takes longer', run(0.4, 6), '6.0', '5.0'],
    ['takes ten times as long as others on a slow machine', run(1.2, 13), '13.0', '12.0'],
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
