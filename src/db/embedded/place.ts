import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../errors.js'
import { type Account, canEnter, unprivilegedAccount } from './account.js'

/** Where one embedded PostgreSQL lives, and the account it runs as. */
export interface Place {
  /** Contains everything below; only the account (and root) can enter it, which is the only access control. */
  readonly directory: string
  /** The cluster, `PGDATA`. */
  readonly dataDirectory: string
  readonly socketDirectory: string
  readonly logFile: string
  /** Set if this process is root. */
  readonly account: Account | undefined
}

/** Longest path of a Unix socket: 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 103
/** Where data goes if the server's account cannot enter the data directory of the service. */
const SHARED_STATE = '/var/lib/svc'

/**
 * Finds or makes the place of the data directory: `<dataDir>/postgres`, or, if this process is root and the server's
 * account cannot enter `dataDir`, a directory in /var/lib/svc that `<dataDir>/postgres` then links to.
 */
export function resolvePlace(dataDir: string): Place {
  const isRoot = process.getuid?.() === 0
  if (makeFolders(dataDir) && isRoot) chmodSync(dataDir, 0o711)
  const home = realpathSync(dataDir)
  const entry = join(home, 'postgres')
  const fresh = isRoot ? unprivilegedAccount() : undefined
  if (lstatSync(entry, { throwIfNoEntry: false }) === undefined) makePlace(entry, home, fresh)
  const directory = followEntry(entry)
  const account = takeOwnership(directory, fresh)
  if (account !== undefined && !canEnter(account, directory)) {
    throw new Error(
      `the embedded PostgreSQL runs as uid ${account.uid}, which can no longer enter ${directory}: ` +
        'allow entering its parent folders (chmod o+x), or move it',
    )
  }
  return {
    directory,
    dataDirectory: join(directory, 'data'),
    socketDirectory: socketDirectoryOf(directory),
    logFile: join(directory, 'server.log'),
    account,
  }
}

/**
 * Makes a folder and those above it, and returns whether it made the folder. Throws if that is impossible, also in
 * /proc, where the recursive `mkdirSync` of Node 20 never returns.
 */
function makeFolders(folder: string): boolean {
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false
    if (!existsSync(dirname(folder))) makeFolders(dirname(folder))
    mkdirSync(folder)
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST' && statSync(folder).isDirectory()) return false
    if (cause instanceof Error && cause.cause !== undefined) throw cause
    const text = `cannot make the folder ${folder}: ${codeOf(cause) ?? String(cause)}`
    throw new Error(`${text}: set SVC_DATA_DIR to another folder, or DATABASE_URL to a server`, { cause })
  }
}

/** Whether the data directory has a cluster; assumes so if this process may not look. Makes nothing. */
export function hasCluster(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, 'postgres', 'data'), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (codeOf(error) === 'EACCES') return true
    if (codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

function makePlace(entry: string, home: string, account: Account | undefined): void {
  if (account === undefined || canEnter(account, home)) {
    ignoreExisting(() => mkdirSync(entry, { mode: 0o700 }))
    return
  }
  mkdirSync(SHARED_STATE, { recursive: true, mode: 0o755 })
  const elsewhere = mkdtempSync(join(SHARED_STATE, `${shortHash(home)}-`))
  // If another process has made the link in the meantime, its directory is used.
  if (!ignoreExisting(() => symlinkSync(elsewhere, entry))) rmdirSync(elsewhere)
}

function followEntry(entry: string): string {
  try {
    return realpathSync(entry)
  } catch (cause) {
    throw new Error(`${entry} points to a folder that no longer exists: remove it to start with an empty database`, {
      cause,
    })
  }
}

/** The owner of the place runs the server; a place that root has just made is given to this account. */
function takeOwnership(directory: string, fresh: Account | undefined): Account | undefined {
  const { uid, gid } = statSync(directory)
  if (fresh === undefined) {
    if (uid !== process.getuid?.()) {
      throw new Error(
        `${directory} belongs to uid ${uid}: start as that user or as root, or set SVC_DATA_DIR to another folder`,
      )
    }
    return undefined
  }
  if (uid !== 0) return { uid, gid }
  chownSync(directory, fresh.uid, fresh.gid)
  return fresh
}

/** The place itself, or a short name in /tmp if the socket's path would be too long for the kernel. */
function socketDirectoryOf(directory: string): string {
  return Buffer.byteLength(join(directory, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH
    ? directory
    : join('/tmp', `svc-${shortHash(directory)}`)
}

/** Makes the socket's directory unless it is the place itself. Throws if someone else has taken its name. */
export function ensureSocketDirectory(place: Place): void {
  if (place.socketDirectory === place.directory) return
  const owner = place.account?.uid ?? process.getuid?.()
  if (ignoreExisting(() => mkdirSync(place.socketDirectory, { mode: 0o700 })) && place.account !== undefined) {
    chownSync(place.socketDirectory, place.account.uid, place.account.gid)
  }
  const stats = lstatSync(place.socketDirectory)
  if (!stats.isDirectory() || stats.uid !== owner || (stats.mode & 0o077) !== 0) {
    throw new Error(`${place.socketDirectory} is not a private folder of uid ${owner}: remove it`)
  }
}

/** Runs `make`; false if what it makes exists already. */
function ignoreExisting(make: () => void): boolean {
  try {
    make()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
