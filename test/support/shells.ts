import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Those of some shells that this machine has; the missing ones are reported. */
export function installedShells<Shell extends string>(names: readonly Shell[]): Shell[] {
  return names.filter((name) => {
    if (isInstalled(name)) return true
    process.stderr.write(`${name} is not installed: nothing is run in it\n`)
    return false
  })
}

/** The shells that the documents are written for, as far as this machine has them. */
export const shells = installedShells(['bash', 'zsh'])

function isInstalled(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
