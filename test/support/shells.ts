import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The shells that the documents are written for, as far as this machine has them; it is said which are missing. */
export const shells = ['bash', 'zsh'].filter((name) => {
  if (isInstalled(name)) return true
  process.stderr.write(`${name} is not installed: the documents are not run in it\n`)
  return false
})

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
