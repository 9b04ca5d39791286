import { announceTestRun } from './current-test-run.js'
import { type StartedTestRun, startTestRun } from './test-run.js'

declare global {
  /** Removes what the set-up has prepared. */
  var stopTestRun: (() => Promise<void>) | undefined
}

/** Prepares the databases before the first test file. */
export default function setup(): Promise<void> {
  return prepare(async ({ run, stop }) => ({ run, stop }))
}

/** Prepares the databases, and what else a run needs with them. */
export async function prepare(complete: (started: StartedTestRun) => Promise<StartedTestRun>): Promise<void> {
  // If npx started the run, with another Node, this variable would tell every npx of a test what to run.
  delete process.env['npm_config_call']
  delete process.env['npm_config_package']
  const { run, stop } = await complete(await startTestRun(process.env['TEST_DATABASE_URL'] || undefined))
  announceTestRun(run)
  globalThis.stopTestRun = stop
}
