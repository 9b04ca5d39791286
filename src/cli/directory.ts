import type { Command } from 'commander'
import { type DirectoryStatus, readDirectoryStatus } from '../domain/directory/directory-status.js'
import { aligned, answer, type CommandContext, type JsonOption } from './command-context.js'

export function registerDirectoryCommand(program: Command, context: CommandContext): void {
  const directory = program
    .command('directory')
    .description('the SCIM connection of an organization to its identity provider')
  directory
    .command('status')
    .description('print the connection, the last write, how many users it supplies and its rejected requests')
    .requiredOption('--org <id>', 'the organization')
    .option('--json', 'print one JSON object')
    .action((options: { readonly org: string } & JsonOption) =>
      context.onDatabase(async (database) => {
        const status = await readDirectoryStatus(database, options.org, context.runtime.now())
        answer(context, options, status, textFrom(status))
      }),
    )
}

/** How many rejected requests are printed; `--json` prints all that are stored. */
const PRINTED_REFUSALS = 10

function textFrom({ connections, lastWriteAt, users, refusals }: DirectoryStatus): string {
  const connected = connections.map(({ keyId, name, state, lastUsedAt }) => {
    const used = lastUsedAt === undefined ? 'never used' : `used ${lastUsedAt.toISOString()}`
    return [keyId, state, used, name].join('  ')
  })
  if (connected.length === 0) connected.push('none: create a management key with "svc keys create --kind mk"')
  // A request that was accepted without one of its values has the status of its answer.
  const leftOut = refusals.filter(({ status }) => status < 300)
  const refused = refusals.filter((each) => !leftOut.includes(each))
  const lines: [label: string, text: string][] = [
    ...connected.map((text): [string, string] => ['connection', text]),
    ['last write', lastWriteAt?.toISOString() ?? 'never'],
    ['people', `${users.supplied} supplied, ${users.active} of them active, ${users.deleted} deleted`],
    ['refused', refused.length === 0 ? 'nothing' : `${refused.length} of the last requests`],
    ...refused.slice(0, PRINTED_REFUSALS).map((each): [string, string] => ['', refusalText(each)]),
    ...(leftOut.length === 0
      ? []
      : [['left out', `a value in ${leftOut.length} of the last requests`] as [string, string]]),
    ...leftOut.slice(0, PRINTED_REFUSALS).map((each): [string, string] => ['', refusalText(each)]),
  ]
  return aligned(lines.map(([label, text]) => [label, printable(text)]))
}

function refusalText(refusal: DirectoryStatus['refusals'][number]): string {
  const { occurredAt, method, path, status, scimType, userName, externalId, attribute, detail } = refusal
  const answer = status < 300 ? '' : `${`${status} ${scimType}`.trimEnd()}: `
  const person = [userName, externalId].filter((name) => name !== '').join(', ')
  const about = [person, attribute].filter((text) => text !== '').join(' ')
  return `${occurredAt.toISOString()}  ${method} ${path}  ${answer}${about === '' ? '' : `${about}: `}${detail}`
}

/** Text from others is printed without control characters, which terminals would interpret. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ')
}
