import type { Command } from 'commander'
import { createBearerTokens } from '../domain/auth/bearer-token.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { createUserToken } from '../domain/auth/user-token.js'
import { initOrganization } from '../transfer/init-organization.js'
import type { CommandContext } from './command-context.js'

interface InitOptions {
  readonly org: string
  readonly admin: string
  readonly json?: true
}

/** `svc init`: makes an organization with an administrator, and a token of that person. */
export function registerInitCommand(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('make an organization with an administrator, and a token of that person')
    .requiredOption('--org <name>', 'the name of the organization, which no other one has')
    .requiredOption('--admin <email>', 'the email address of the administrator')
    .option('--json', 'answer one JSON object')
    .action((options: InitOptions) => init(options, context))
}

async function init({ org, admin, json }: InitOptions, context: CommandContext): Promise<void> {
  const { config, runtime, stdout, stderr } = context
  const opened = await context.makeDatabase()
  try {
    const { database } = opened
    const ids = await initOrganization(database, { name: org, email: admin }, runtime)
    const hasher = createSecretHasher(config.secretPepper)
    const bearerTokens = createBearerTokens({ database, runtime })
    const { token, expiresAt } = await createUserToken({ database, hasher, bearerTokens, runtime }, ids)
    if (json) {
      stdout.write(`${JSON.stringify({ ...ids, token, expiresAt })}\n`)
      return
    }
    stdout.write(`${token}\n`)
    stderr.write(`The organization is ${ids.organizationId}, its administrator ${ids.userId}.\n`)
    stderr.write(`The token lasts until ${expiresAt.toISOString()} and is not shown again.\n`)
  } finally {
    await opened.close()
  }
}
