import type { Command } from 'commander'
import { listOrganizations } from '../store/organization.js'
import type { CommandContext } from './command-context.js'

/** `svc organizations`: lists the organizations of the database. */
export function registerOrganizationsCommand(program: Command, context: CommandContext): void {
  program
    .command('organizations')
    .description('organizations')
    .command('list')
    .description('list all organizations')
    .option('--json', 'answer one JSON object')
    .action(async ({ json }: { readonly json?: true }) => {
      const { database, close } = await context.openDatabase()
      try {
        const organizations = await listOrganizations(database)
        if (json) context.stdout.write(`${JSON.stringify({ organizations })}\n`)
        else for (const { id, region, name } of organizations) context.stdout.write(`${id}  ${region}  ${name}\n`)
      } finally {
        await close()
      }
    })
}
