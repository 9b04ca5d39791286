import type { Command } from 'commander'
import { runningServers } from '../db/server-presence.js'
import { composeAnnouncement, jsonFromAnnouncement, textFromAnnouncement } from './announcement.js'
import { type CommandContext, dataFolderOf } from './command-context.js'

/** `svc status`: what `svc serve` printed, while one runs on this data. Fails if none does. */
export function registerStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('print again what "svc serve" printed, while it runs')
    .option('--json', 'answer one JSON object')
    .action(async ({ json }: { readonly json?: true }) => {
      const { config, stdout } = context
      const { database, close } = await context.openDatabase()
      try {
        const [first, ...others] = await runningServers(database)
        if (first === undefined) {
          const place = config.databaseUrl === undefined ? `the data in ${dataFolderOf(config)}` : 'DATABASE_URL'
          throw new Error(`no server is running on ${place}: start one with "npx svc serve"`)
        }
        const announcement = await composeAnnouncement([first, ...others], database, context)
        stdout.write(json ? `${jsonFromAnnouncement(announcement)}\n` : textFromAnnouncement(announcement))
      } finally {
        await close()
      }
    })
}
