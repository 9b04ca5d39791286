import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Database } from '../db/database.js'
import { emptyTables } from '../db/session.js'
import { packageRoot } from '../package.js'
import type { Runtime } from '../runtime/runtime.js'
import { firstOrganizationId } from '../store/organization.js'
import { announceRunning, textFromAnnouncement } from './announcement.js'
import type { CommandContext } from './command-context.js'
import { demoOrganizationId } from './demo-requests.js'

export async function loadDemo(database: Database, { runtime, log }: CommandContext): Promise<void> {
  if ((await firstOrganizationId(database)) !== undefined) return
  await importDemo(database, runtime)
  log.info('loaded the demo organization')
}

export function registerDemoCommand(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description('the demo organization')
    .command('reset')
    .description('restore its original state; also deletes all keys, tokens and audit events')
    .action(() =>
      context.onDatabase(async (database) => {
        const other = await firstOrganizationId(database, { NOT: { id: demoOrganizationId } })
        if (other !== undefined) {
          throw new Error(`the database holds organizations other than the demo, such as ${other}: nothing was deleted`)
        }
        await emptyTables(database.connectionString)
        await importDemo(database, context.runtime)
        context.stdout.write('The demo organization has been reset. Earlier keys and tokens are gone.\n')
        const announcement = await announceRunning(database, context)
        if (announcement !== undefined) context.stdout.write(`\n${textFromAnnouncement(announcement)}`)
      }),
    )
}

async function importDemo(database: Database, runtime: Runtime): Promise<void> {
  const { importRecords } = await import('../transfer/import-records.js')
  await importRecords(database, createReadStream(join(packageRoot(), 'demo', 'organization.ndjson')), { runtime })
}
