import { fork } from 'node:child_process'
import { once } from 'node:events'
import { reply } from '../harness/reply.js'

/** What a server process used since it was last asked. */
export interface Usage {
  readonly cpuMicros: number
  /** The longest stall of the event loop in milliseconds; NaN if only the process itself could measure it. */
  readonly stallMillis: number
  readonly rssBytes: number
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number
  /** Returns what was used since the last call. */
  usage(): Promise<Usage>
  stop(): Promise<void>
}

/** Forks one of the programs in `servers/`; `settings` reach it as its first argument. */
export async function startServer(
  name: string,
  settings: Readonly<Record<string, unknown>>,
  execArgv: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(new URL(`./servers/${name}.js`, import.meta.url), [JSON.stringify(settings)], {
    execArgv: [...execArgv],
  })
  const port = Number(await reply(child))
  return {
    port,
    usage: async () => {
      child.send('usage')
      return (await reply(child)) as Usage
    },
    stop: async () => {
      const exit = once(child, 'exit')
      child.send('stop')
      await exit
    },
  }
}
