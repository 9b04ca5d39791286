import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** The most that a run may use: a few databases, the server's log, and copies of programs. */
const ROOM_BYTES = 2 * 1024 ** 3

/** The folders in which runs may have left data behind. */
export const scratchFolders: readonly string[] = [...new Set([scratchFolder(), tmpdir()])]

/**
 * The folder for the data of tests: in memory, if the system offers enough of it (Linux), else that for temporary
 * files. A database has some 350 files; on a disk, it takes half a second of processor time to make and remove them.
 */
export function scratchFolder(): string {
  return hasMemory() ? MEMORY : tmpdir()
}

function hasMemory(): boolean {
  if (process.platform !== 'linux') return false
  const [, options] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? []
  if (options === undefined || options.split(',').includes('noexec')) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM_BYTES
}
