import type { Command } from 'commander'
import { distribute, distributionPlanOf, refuse, requireCoordinator } from '../db/distribute.js'
import { loadMigrations, pendingMigrations } from '../db/migrate.js'
import { type CommandContext, directUrlOf, integerFrom, requireNoPending } from './command-context.js'

export function registerMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('apply pending migrations to the database')
    .action(() =>
      context.onPreparedDatabase(async (_, applied) => {
        context.stdout.write(applied.length === 0 ? 'the database is up to date\n' : `applied ${applied.join(', ')}\n`)
      }),
    )
}

export function registerDistributeCommand(program: Command, context: CommandContext): void {
  program
    .command('distribute')
    .description('distribute the database by organization on a Citus cluster; see docs/scaling.md')
    .option('--dry-run', 'show the steps and what is missing, without doing anything')
    .option('--shards <n>', 'number of shards per table', integerFrom(1, 64_000), 32)
    .action(async ({ dryRun, shards: shardCount }: { readonly dryRun?: true; readonly shards: number }) => {
      const { config, stdout, stopSignal: signal } = context
      const url = directUrlOf(config)
      if (config.databaseUrl === undefined)
        throw new Error('the embedded database cannot be distributed: DATABASE_URL must name the coordinator')
      await requireCoordinator(url)
      requireNoPending(await pendingMigrations(url, await loadMigrations()))
      const onStep = (title: string) => stdout.write(`${title}\n`)
      if (dryRun) {
        const { needs, steps } = await distributionPlanOf(url, shardCount)
        for (const { title } of steps) onStep(title)
        refuse(needs)
      } else stdout.write(`done, ${await distribute(url, shardCount, onStep, signal)} steps\n`)
    })
}
