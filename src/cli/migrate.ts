import type { Command } from 'commander'
import type { CommandContext } from './command-context.js'

/** `svc migrate`: applies pending migrations and says which. */
export function registerMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('apply pending migrations to the database')
    .action(async () => {
      const { appliedMigrations: applied, close } = await context.makeDatabase()
      await close()
      context.stdout.write(applied.length === 0 ? 'the database is up to date\n' : `applied ${applied.join(', ')}\n`)
    })
}
