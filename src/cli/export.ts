import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { exportRecords } from '../transfer/export-records.js'
import type { CommandContext } from './command-context.js'

/** `svc export`: writes every record, without secrets, in the form that `svc import` accepts. */
export function registerExportCommand(program: Command, context: CommandContext): void {
  program
    .command('export')
    .description('write the whole database to standard output as newline-delimited JSON records')
    .action(async () => {
      const opened = await context.openDatabase()
      try {
        await pipeline(exportRecords(opened.database), context.stdout, {
          end: false,
          signal: context.stopSignal,
        })
      } catch (error) {
        // The reader has stopped reading, as in `svc export | head`.
        if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
      } finally {
        await opened.close()
      }
    })
}
