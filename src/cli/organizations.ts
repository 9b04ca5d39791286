import type { Command } from 'commander'
import { createUserToken } from '../domain/auth/user-token.js'
import { listOrganizations } from '../store/organization.js'
import { initOrganization } from '../transfer/init-organization.js'
import { answer, type CommandContext, credentialsOf, type JsonOption, requirePepper } from './command-context.js'

export function registerInitCommand(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('create an organization with an administrator, and a token for them')
    .requiredOption('--org <name>', 'the name of the organization; must be unique')
    .requiredOption('--admin <email>', 'the email address of the administrator')
    .option('--json', 'print one JSON object')
    .action((options: { readonly org: string; readonly admin: string } & JsonOption) =>
      context.onPreparedDatabase(async (database) => {
        await requirePepper(database, context)
        const ids = await initOrganization(database, { name: options.org, email: options.admin }, context.runtime)
        const { token, expiresAt } = await createUserToken(credentialsOf(database, context), ids)
        answer(context, options, { ...ids, token, expiresAt }, `${token}\n`)
        if (options.json) return
        context.stderr.write(`The organization is ${ids.organizationId}, its administrator ${ids.userId}.\n`)
        context.stderr.write(`The token lasts until ${expiresAt.toISOString()} and is not shown again.\n`)
      }),
    )
}

export function registerOrganizationsCommand(program: Command, context: CommandContext): void {
  program
    .command('organizations')
    .description('organizations')
    .command('list')
    .description('list all organizations')
    .option('--json', 'print one JSON object')
    .action((options: JsonOption) =>
      context.onDatabase(async (database) => {
        const organizations = await listOrganizations(database)
        const lines = organizations.map(({ id, region, name }) => `${id}  ${region}  ${name}\n`)
        answer(context, options, { organizations }, lines.join(''))
      }),
    )
}
