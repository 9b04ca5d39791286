import type { Command } from 'commander'
import { packageRoot, readBuild } from '../package.js'
import type { CommandContext } from './command-context.js'

/** `svc version`: which build this is. */
export function registerVersionCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('version')
    .description('tell the version, and the commit that it was made from')
    .option('--json', 'answer one JSON object')
    .action(({ json }: { readonly json?: true }) => {
      const { version, commit } = readBuild(packageRoot())
      const node = process.version
      stdout.write(
        json ? `${JSON.stringify({ version, commit, node })}\n` : `svc ${version} (commit ${commit}, Node ${node})\n`,
      )
    })
}
