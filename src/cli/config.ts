import type { Command } from 'commander'
import type { Setting } from '../config.js'
import type { CommandContext } from './command-context.js'

/** `svc config`: every variable with its value in force, secrets masked. Fails with all errors in the environment. */
export function registerConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description('show the configuration that is in force, secrets masked')
    .option('--json', 'answer one JSON object')
    .action(({ json }: { readonly json?: true }) => {
      const { settings, stdout } = context
      stdout.write(json ? `${JSON.stringify(valuesByName(settings))}\n` : settings.map(lineOf).join(''))
    })
}

function valuesByName(settings: readonly Setting[]): Record<string, string | null> {
  return Object.fromEntries(settings.map(({ name, value }) => [name, value ?? null]))
}

function lineOf({ name, value, isDefault }: Setting): string {
  return `${name}=${value ?? ''}${isDefault ? '  # default' : ''}\n`
}
