/** What a file that `test/slow-tests.json` does not name may take on an idle machine. */
const MAX_SECONDS = 5
/** The same as a multiple of what the median file takes, which is what counts on a slower machine. */
const MAX_RATIO = 10
/** With fewer files, their median says nothing. */
const MIN_FILES = 100

/** A file of tests that has been run. */
export interface TimedFile {
  readonly path: string
  readonly runtime: number
  /** Of the time for which its process wanted a processor, the share for which it had one. */
  readonly processorShare: number
}

/** A file that took too long, with what it would have taken alone and what it may take. */
export interface SlowFile {
  readonly path: string
  readonly seconds: string
  readonly limit: string
}

/**
 * The files of a whole run that would take too long alone. No time counts as such: one in which other processes had the
 * processor does not, and on a slow machine, all files take longer.
 */
export function slowFiles(files: readonly TimedFile[]): SlowFile[] {
  if (files.length < MIN_FILES) return []
  const alone = files.map(({ path, runtime, processorShare }) => ({ path, seconds: (runtime / 1000) * processorShare }))
  alone.sort((a, b) => b.seconds - a.seconds)
  const median = alone[Math.floor(alone.length / 2)]?.seconds ?? 0
  const limit = Math.max(MAX_SECONDS, MAX_RATIO * median)
  return alone
    .filter(({ seconds }) => seconds > limit)
    .map(({ path, seconds }) => ({ path, seconds: seconds.toFixed(1), limit: limit.toFixed(1) }))
}
