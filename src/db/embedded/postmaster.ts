import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../errors.js'
import { type Binaries, SERVER_ENVIRONMENT } from './binaries.js'
import type { Place } from './place.js'

/** A server process that this process started. */
export type StartedPostmaster = ReturnType<typeof spawnPostmaster>

const MAX_LOG_BYTES = 8 * 1024 * 1024
const SHUTDOWN_MILLIS = 30_000

/** Reads `postmaster.pid`, of a server that runs, or ran; undefined if it does not exist or is only half written. */
export function readPidFile(dataDirectory: string) {
  const [pid, , , , socketDirectory] = readIfThere(join(dataDirectory, 'postmaster.pid')).split('\n')
  return Number(pid) > 0 && socketDirectory ? { pid: Number(pid), socketDirectory } : undefined
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * Whether the process is the server of this cluster. Process ids are reused, in containers from 1, so on Linux its
 * command line decides (a zombie has none); elsewhere it is enough that the process exists.
 */
export function isPostmaster(pid: number, dataDirectory: string): boolean {
  if (!existsSync('/proc/self/cmdline')) return isAlive(pid)
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dataDirectory)
  } catch {
    return false // It has just ended.
  }
}

/**
 * Starts the server in a session of its own, so that an interrupt from the terminal does not reach it, and with its
 * output in the log file, so that it outlives this process. The server ends at once if another process was faster.
 * `stalePid` is an id in `postmaster.pid` that was found to belong to no server.
 */
export function spawnPostmaster(
  place: Place,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
  stalePid: number | undefined,
) {
  if ((statSync(place.logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) {
    renameSync(place.logFile, `${place.logFile}.1`)
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logged = statSync(place.logFile, { throwIfNoEntry: false })?.size ?? 0
  const log = openSync(place.logFile, 'a', 0o600)
  let ended = false
  const child = spawn(binaries.postgres, ['-D', place.dataDirectory, '-k', place.socketDirectory, ...flags], {
    ...place.account,
    cwd: place.directory,
    // PostgreSQL considers a lock file with this id stale; it would not start while another process has the id.
    // Its other checks, such as for shared memory that is still in use, remain in force.
    env: { ...SERVER_ENVIRONMENT, ...(stalePid !== undefined && { PG_GRANDPARENT_PID: String(stalePid) }) },
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const end = () => {
    ended = true
  }
  child.once('exit', end).once('error', end).unref()
  return {
    /** Undefined if the system could not start it. */
    pid: child.pid,
    ended: () => ended,
    /** Its log output since it was started. */
    output: () => readFileSync(place.logFile).subarray(logged).toString().trim(),
  }
}

/** Shuts the server down (fast: sessions are cut, everything is written) and waits until it has ended. */
export async function stopPostmaster(dataDirectory: string): Promise<void> {
  const running = readPidFile(dataDirectory)
  if (running === undefined || !isPostmaster(running.pid, dataDirectory)) return
  try {
    process.kill(running.pid, 'SIGINT')
  } catch (error) {
    // It has just ended.
    if (codeOf(error) !== 'ESRCH') throw error
  }
  const deadline = performance.now() + SHUTDOWN_MILLIS
  // The file is removed last; the process may remain as a zombie if no one collects it.
  while (readPidFile(dataDirectory)?.pid === running.pid && isPostmaster(running.pid, dataDirectory)) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL (pid ${running.pid}) did not stop`)
    await sleep(5)
  }
}
