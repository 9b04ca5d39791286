import type { Command } from 'commander'
import { packageRoot, readBuild } from '../package.js'
import { answer, type CommandContext, type JsonOption } from './command-context.js'

/** `svc config`: every variable with its effective value, secrets masked. Fails with all errors in the environment. */
export function registerConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description('show the effective configuration, with secrets masked')
    .option('--json', 'print one JSON object')
    .action((options: JsonOption) => {
      const { settings } = context.config
      const lines = settings.map(
        ({ name, value = '', isDefault }) => `${name}=${value}${isDefault ? '  # default' : ''}\n`,
      )
      const values = Object.fromEntries(settings.map(({ name, value }) => [name, value ?? null]))
      answer(context, options, values, lines.join(''))
    })
}

export function registerVersionCommand(program: Command, context: CommandContext): void {
  program
    .command('version')
    .description('print the version and the commit that it was built from')
    .option('--json', 'print one JSON object')
    .action((options: JsonOption) => {
      const { version, commit } = readBuild(packageRoot())
      const node = process.version
      answer(context, options, { version, commit, node }, `svc ${version} (commit ${commit}, Node ${node})\n`)
    })
}
