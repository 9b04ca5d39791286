import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Database } from '../db/database.js'
import { emptyTables } from '../db/empty-tables.js'
import type { Queryable } from '../db/queryable.js'
import { runningServers } from '../db/server-presence.js'
import { packageRoot } from '../package.js'
import type { Runtime } from '../runtime/runtime.js'
import { firstOrganizationId } from '../store/organization.js'
import { composeAnnouncement, textFromAnnouncement } from './announcement.js'
import type { CommandContext } from './command-context.js'
import { demoOrganizationId } from './demo-requests.js'

/** Loads the demo organization, unless the database already holds anything. */
export async function loadDemo(database: Database, { runtime, log }: CommandContext): Promise<void> {
  if ((await firstOrganizationId(database)) !== undefined) return
  await importDemo(database, runtime)
  log.info('loaded the demo organization')
}

/** `svc demo`: the demo organization. */
export function registerDemoCommand(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description('the demo organization')
    .command('reset')
    .description('reset it to its first state; also deletes all keys, tokens and audit events')
    .action(() => resetDemo(context))
}

async function resetDemo(context: CommandContext): Promise<void> {
  const { database, close } = await context.openDatabase()
  try {
    await requireDemoAlone(database)
    await emptyTables(database)
    await importDemo(database, context.runtime)
    context.stdout.write('The demo organization has been reset. Earlier keys and tokens are gone.\n')
    const [first, ...others] = await runningServers(database)
    if (first === undefined) return
    context.stdout.write(`\n${textFromAnnouncement(await composeAnnouncement([first, ...others], database, context))}`)
  } finally {
    await close()
  }
}

async function requireDemoAlone(tables: Queryable): Promise<void> {
  const other = await firstOrganizationId(tables, demoOrganizationId)
  if (other !== undefined) {
    throw new Error(`the database holds organizations other than the demo, such as ${other}: nothing was deleted`)
  }
}

async function importDemo(database: Database, runtime: Runtime): Promise<void> {
  const { importRecords } = await import('../transfer/import-records.js')
  await importRecords(database, createReadStream(join(packageRoot(), 'demo', 'organization.ndjson')), { runtime })
}
