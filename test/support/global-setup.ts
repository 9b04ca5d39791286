import { announceTestRun } from './current-test-run.js'
import { startTestRun } from './test-run.js'

declare global {
  /** Removes what the set-up has prepared. */
  var stopTestRun: (() => Promise<void>) | undefined
}

/** Prepares the databases before the first test file. */
export default async function setup(): Promise<void> {
  // If npx started the run, with another Node, this variable would tell every npx of a test what to run.
  delete process.env['npm_config_call']
  delete process.env['npm_config_package']
  const { run, stop } = await startTestRun(process.env['TEST_DATABASE_URL'] || undefined)
  announceTestRun(run)
  globalThis.stopTestRun = stop
}
