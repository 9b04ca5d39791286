import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the package that has this root. Throws where its package.json has none. */
export function packageVersion(root: string): string {
  const parsed: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && typeof parsed.version === 'string') {
    return parsed.version
  }
  throw new Error('package.json has no version')
}
