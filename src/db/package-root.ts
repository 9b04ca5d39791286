import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, whether the code runs from `src` or from `dist/src`. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, 'package.json'))) {
    if (directory === dirname(directory)) throw new Error('package.json is missing above the code')
    directory = dirname(directory)
  }
  return directory
}
