import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, wherever in it the code runs. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('package.json is missing above the code')
    folder = dirname(folder)
  }
  return folder
}

/** Which build this is. */
export interface Build {
  readonly version: string
  /** The commit that it was built from; `unknown` if that cannot be determined. */
  readonly commit: string
}

/** The version of the package that has this root. Throws where its package.json has none. */
export function packageVersion(root: string): string {
  const version = fieldOf(root, 'version')
  if (version === undefined) throw new Error('package.json has no version')
  return version
}

/** The build of the package that has this root, from package.json or, in a checkout, from Git. */
export function readBuild(root: string): Build {
  return { version: packageVersion(root), commit: fieldOf(root, 'gitHead') ?? checkedOutCommit(root) ?? 'unknown' }
}

function fieldOf(root: string, name: string): string | undefined {
  const parsed: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const value: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined
  return typeof value === 'string' ? value : undefined
}

/** Undefined without Git, or outside a repository. */
function checkedOutCommit(root: string): string | undefined {
  if (!existsSync(join(root, '.git'))) return undefined
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
