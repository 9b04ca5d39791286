import type { Command } from 'commander'
import { requireOrganization } from '../domain/organization.js'
import { findMembers, type ListedMember } from '../store/operator-search.js'
import { answer, type CommandContext, type JsonOption } from './command-context.js'

const MOST_FOUND = 100

export function registerUsersCommand(program: Command, context: CommandContext): void {
  const users = program.command('users').description('the people in organizations, with their ids')
  users
    .command('list')
    .description('list the people of an organization')
    .requiredOption('--org <id>', 'the organization')
    .option('--json', 'print one JSON object')
    .action((options: { readonly org: string } & JsonOption) =>
      context.onDatabase(async (database) => {
        const { org: organizationId } = options
        await requireOrganization(database, organizationId)
        print(context, options, await findMembers(database, { organizationId }))
      }),
    )
  users
    .command('find')
    .description(`find people by a part of their id, address or name; prints ${MOST_FOUND} at most`)
    .argument('<text>', 'the part, whatever its case')
    .option('--org <id>', 'the organization; default: all')
    .option('--json', 'print one JSON object')
    .action((text: string, options: { readonly org?: string } & JsonOption) =>
      context.onDatabase(async (database) => {
        const found = await findMembers(database, { organizationId: options.org, text, most: MOST_FOUND })
        print(context, options, found)
        if (found.length === 0) throw new Error(`no one has ${text} in their id, address or name`)
      }),
    )
}

function print(context: CommandContext, options: JsonOption, members: readonly ListedMember[]): void {
  const users = members.map(({ deactivatedAt, ...member }) => ({ ...member, isActive: deactivatedAt === null }))
  const lines = users.map(({ userId, organizationId, email, role, firstName, lastName, isActive }) => {
    const state = isActive ? [] : ['deactivated']
    return `${[userId, organizationId, email, role, ...state, `${firstName} ${lastName}`.trim()].join('  ').trimEnd()}\n`
  })
  answer(context, options, { users }, lines.join(''))
}
