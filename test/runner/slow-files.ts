import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What a file that `test/slow-tests.json` does not name may take on an idle machine. */
const MAX_SECONDS = 5
/** The same as a multiple of what the median file takes, which is what counts on a slower machine. */
const MAX_RATIO = 10
/** With fewer files, their median says nothing. */
const MIN_FILES = 100

/** A file of tests that has been run. */
export interface TimedFile {
  readonly path: string
  /** How long it would have taken on an idle machine. */
  readonly aloneSeconds: number
}

/** A file that took too long, with what it would have taken alone and what it may take. */
export interface SlowFile {
  readonly path: string
  readonly seconds: string
  readonly limit: string
}

/** Whether `test/slow-tests.json` has a file, by itself or with its folder. */
export function slowList(rootDir: string): (file: string) => boolean {
  const listed = Object.keys(JSON.parse(readFileSync(join(rootDir, 'test/slow-tests.json'), 'utf8')))
  return (file) => listed.some((path) => relative(rootDir, file).startsWith(path))
}

/** The files of a whole run that would take too long alone, also in comparison: on a slow machine, all take longer. */
export function slowFiles(files: readonly TimedFile[]): SlowFile[] {
  if (files.length < MIN_FILES) return []
  const sorted = files.toSorted((a, b) => b.aloneSeconds - a.aloneSeconds)
  const median = sorted[Math.floor(sorted.length / 2)]?.aloneSeconds ?? 0
  const limit = Math.max(MAX_SECONDS, MAX_RATIO * median)
  return sorted
    .filter(({ aloneSeconds }) => aloneSeconds > limit)
    .map(({ path, aloneSeconds }) => ({ path, seconds: aloneSeconds.toFixed(1), limit: limit.toFixed(1) }))
}
