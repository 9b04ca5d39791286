import { setTimeout as sleep } from 'node:timers/promises'
import { prepareBinaries } from './binaries.js'
import { ensureCluster } from './cluster.js'
import { ensureSocketDirectory, type Place } from './place.js'
import { isPostmaster, readPidFile, type StartedPostmaster, spawnPostmaster } from './postmaster.js'
import { openUseSession } from './session.js'

const START_MILLIS = 60_000
/** Another process was faster, or the sessions of a killed server are still ending: try again. */
const WORTH_ANOTHER_TRY = /lock file "[^"]*" already exists|is still in use/

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  jit: 'off',
}

/**
 * Joins the server of the place, and starts it if it is not running: a session on it, and whether it was already
 * running. Throws with the server's log.
 */
export async function joinOrStart(place: Place, settings: Readonly<Record<string, string>>) {
  const deadline = performance.now() + START_MILLIS
  let started: StartedPostmaster | undefined
  let failure: unknown
  for (; performance.now() < deadline; await sleep(started?.ended() ? 100 : 10)) {
    const found = readPidFile(place.dataDirectory)
    if (found !== undefined && isPostmaster(found.pid, place.dataDirectory)) {
      try {
        const session = await openUseSession(found.socketDirectory, found.pid)
        return { session, socketDirectory: found.socketDirectory, adopted: started?.pid !== found.pid }
      } catch (error) {
        failure = error // It is starting or stopping: try again.
      }
    } else if (started === undefined || started.ended()) {
      if (started !== undefined && !WORTH_ANOTHER_TRY.test(started.output())) break
      const binaries = prepareBinaries(place)
      await ensureCluster(place, binaries)
      ensureSocketDirectory(place)
      started = spawnPostmaster(place, binaries, { ...SETTINGS, ...settings }, found?.pid)
    }
  }
  throw new Error(
    `the embedded PostgreSQL in ${place.directory} did not start: ${started?.output() || 'it accepts no session'}`,
    { cause: failure },
  )
}
