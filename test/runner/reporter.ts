import { join, relative } from 'node:path'
import type { AggregatedResult, Reporter, Test, TestResult } from '@jest/reporters'
import type { Config } from '@jest/types'
import { slowFiles, slowList, type TimedFile } from './slow-files.js'

const PROGRESS_MILLIS = 15_000

/** Says how far a run is, where no terminal shows it, and at the end what has failed and how to run it alone. */
export default class EndReporter implements Reporter {
  readonly #rootDir: string
  readonly #isListed: (file: string) => boolean
  readonly #files: TimedFile[] = []
  #reportedAt = Date.now()
  #error: Error | undefined

  constructor({ rootDir }: Config.GlobalConfig) {
    this.#rootDir = rootDir
    this.#isListed = slowList(rootDir)
  }

  onTestResult(_test: Test, { testFilePath, perfStats }: TestResult, results: AggregatedResult): void {
    this.#files.push({ path: relative(this.#rootDir, testFilePath), seconds: 0, share: 1, ...perfStats })
    if (process.stderr.isTTY || Date.now() - this.#reportedAt < PROGRESS_MILLIS) return
    this.#reportedAt = Date.now()
    const seconds = Math.round((Date.now() - results.startTime) / 1000)
    const { numTotalTestSuites: total, numFailedTestSuites: failed } = results
    print(`${this.#files.length} of ${total} files after ${seconds} s, ${failed} failed`)
  }

  onRunComplete(_contexts: unknown, { testResults }: AggregatedResult): void {
    const lines: string[] = []
    const tooSlow = slowFiles(this.#files).filter(({ path }) => !this.#isListed(join(this.#rootDir, path)))
    if (tooSlow.length > 0) {
      lines.push('', 'Too slow to be absent from test/slow-tests.json:')
      lines.push(...tooSlow.map(({ path, seconds, limit }) => `  ${path}: ${seconds} s, more than ${limit} s`))
      this.#error = new Error(`${tooSlow.length} files are too slow`)
    }
    const failed = testResults.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
    if (failed.length > 0) lines.push('', 'Failed, each with the command that runs it alone:')
    lines.push(...failed.flatMap((each) => this.#describe(each)))
    // After the summary, which Jest's last reporter prints.
    if (lines.length > 0) process.once('exit', () => print(...lines))
  }

  getLastError(): Error | undefined {
    return this.#error
  }

  #describe({ testFilePath, testResults }: TestResult): string[] {
    const tests = testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `    ✕ ${fullName}`)
    return [`  npm test -- ${relative(this.#rootDir, testFilePath)}`, ...tests]
  }
}

function print(...lines: string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`)
}
