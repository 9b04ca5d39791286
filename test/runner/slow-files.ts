import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Measured } from './stopwatch.js'

/** What a file that `test/slow-tests.json` does not name may take. */
const MAX_SECONDS = 5
/** The same as a multiple of what the median file takes, which is what counts on a slower machine. */
const MAX_RATIO = 10
/** With fewer files, their median says nothing. */
const MIN_FILES = 100
/** With a smaller share of the processors, the times say more about the other programs of the machine. */
const MIN_SHARE = 0.5

/** A file of tests that has been run. */
export interface TimedFile extends Measured {
  readonly path: string
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

/**
 * The files of a whole run that take too long, also in comparison: on a slow machine, all take longer. None on a machine
 * that is busy with something else.
 */
export function slowFiles(files: readonly TimedFile[]): SlowFile[] {
  if (files.length < MIN_FILES || median(files.map(({ share }) => share)) < MIN_SHARE) return []
  // What it waits for, such as the database, has no larger share of the processors than it has itself.
  const alone = files.map(({ path, seconds, share }) => ({ path, seconds: seconds * share }))
  const limit = Math.max(MAX_SECONDS, MAX_RATIO * median(alone.map(({ seconds }) => seconds)))
  return alone
    .filter(({ seconds }) => seconds > limit)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ path, seconds }) => ({ path, seconds: seconds.toFixed(1), limit: limit.toFixed(1) }))
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
