import { roleSettings } from '../../src/db/session-settings.js'
import { prepare } from '../support/global-setup.js'
import { startPgBouncer } from '../support/pgbouncer.js'

/** Prepares the databases before the first test file, and a PgBouncer before them. */
export default function setup(): Promise<void> {
  return prepare(async ({ run, stop }) => {
    const pooler = await startPgBouncer({ adminUrl: run.adminUrl, prepareRole: roleSettings })
    return {
      run: { ...run, pooler },
      stop: async () => {
        await pooler.stop()
        await stop()
      },
    }
  })
}
