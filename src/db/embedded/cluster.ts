import { type ExecFileException, execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, SERVER_ENVIRONMENT } from './binaries.js'
import type { Place } from './place.js'
import { isAlive } from './postmaster.js'

const INITDB_OPTIONS = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--no-instructions',
  // The same sort order and case mapping on every machine.
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
]

/**
 * Makes the cluster if there is none. It is made under another name and renamed, so that neither a kill nor a second
 * process that does the same leaves a half-made one.
 */
export async function ensureCluster(place: Place, binaries: Binaries): Promise<void> {
  if (existsSync(place.dataDirectory)) return
  removeAbandoned(place)
  const temporary = join(place.directory, `init-${process.pid}-${randomUUID()}`)
  await runInitdb(place, binaries, temporary)
  try {
    renameSync(temporary, place.dataDirectory)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(place.dataDirectory)) throw error
    return
  }
  const directory = openSync(place.directory, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

function removeAbandoned(place: Place): void {
  for (const name of readdirSync(place.directory)) {
    const pid = /^init-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    rmSync(join(place.directory, name), { recursive: true, force: true })
  }
}

async function runInitdb(place: Place, binaries: Binaries, directory: string): Promise<void> {
  const options = { ...place.account, cwd: place.directory, env: SERVER_ENVIRONMENT }
  try {
    await promisify(execFile)(binaries.initdb, ['-D', directory, ...INITDB_OPTIONS], options)
  } catch (cause) {
    const { message, code, signal, stderr } = cause as ExecFileException
    if (typeof code === 'string') {
      const text = `the embedded PostgreSQL cannot run on this machine (${message}): set DATABASE_URL`
      throw new Error(text, { cause })
    }
    throw new Error(`initdb ended with ${code ?? signal}: ${stderr?.trim()}`, { cause })
  }
}
