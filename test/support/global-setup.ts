import { startPgBouncer } from '../../harness/pgbouncer.js'
import { roleSettings } from '../../src/db/session-settings.js'
import { announceTestRun } from './current-test-run.js'
import { startTestRun } from './test-run.js'

declare global {
  /** Removes what the set-up has prepared. */
  var stopTestRun: (() => Promise<void>) | undefined
}

/** Prepares the databases before the first test file, and the PgBouncer in front of them if `TEST_ON` asks for it. */
export default async function setup(): Promise<void> {
  // If npx started the run, with another Node, this variable would decide what every npx of a test runs.
  delete process.env['npm_config_call']
  delete process.env['npm_config_package']
  const { run, stop } = await startTestRun(process.env['TEST_DATABASE_URL'] || undefined)
  const isPooled = process.env['TEST_ON'] === 'pgbouncer'
  const pooler = isPooled ? await startPgBouncer({ adminUrl: run.adminUrl, prepareRole: roleSettings }) : undefined
  announceTestRun({ ...run, pooler })
  globalThis.stopTestRun = async () => {
    await pooler?.stop()
    await stop()
  }
}
