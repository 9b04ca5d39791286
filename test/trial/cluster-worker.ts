import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { databaseUrl } from '../../harness/database-url.js'
import { execute } from './stage.js'

/** A worker of a cluster whose server runs on this machine, as its own user or as root's. */
export interface ClusterWorker {
  /** Its address, as the coordinator knows it. */
  readonly name: string
  /** Stops all of its processes, which keep their connections. */
  silence(): void
  heal(): void
  /** Kills all of its processes. */
  kill(): void
  /** Starts it again, and waits until it answers. */
  restart(): Promise<void>
}

/** The worker behind a URL. */
export async function openWorker(url: string): Promise<ClusterWorker> {
  const { hostname, port } = new URL(url)
  const [row] = await execute(url, `SELECT current_setting('data_directory') AS directory`)
  const directory = String(row?.['directory'])
  const lines = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
  const postmaster = Number(lines[0])
  const [program, args] = [readlinkSync(`/proc/${postmaster}/exe`), argumentsOf(postmaster).slice(1)]
  const { uid, gid } = statSync(directory)
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of [postmaster, ...childrenOf(postmaster)]) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended since the children were listed.
      }
    }
  }
  return {
    name: `${hostname}:${port}`,
    silence: () => signalAll('SIGSTOP'),
    heal: () => signalAll('SIGCONT'),
    kill: () => signalAll('SIGKILL'),
    restart: async () => {
      spawn(program, args, { uid, gid, cwd: directory, detached: true, stdio: 'ignore' }).unref()
      const answers = () =>
        execute(databaseUrl(url, 'postgres'), 'SELECT').then(
          () => true,
          () => false,
        )
      while (!(await answers())) await wait(100)
    },
  }
}

function argumentsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .filter((each) => each !== '')
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent)
    .map(Number)
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
