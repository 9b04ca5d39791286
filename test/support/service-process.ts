import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { environmentOf } from './database.js'

/** The service in a process of its own. */
export interface ServiceProcess {
  readonly baseUrl: string
  readonly pid: number
  /** Everything that it has written to standard output and error. */
  readonly output: () => string
  stop(): Promise<void>
}

/** Starts the built service on a database, with the environment variables given and no others. */
export async function startServiceProcess(
  connectionString: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child = fork(join(import.meta.dirname, 'service-process.mjs'), {
    env: { LOG_LEVEL: 'warn', ...environmentOf(connectionString), ...environment },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(String(chunk)))
  const output = () => chunks.join('')
  const exited = once(child, 'exit')
  const first = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
  const message: unknown = first?.[0]
  const { pid } = child
  if (pid === undefined || typeof message !== 'object' || message === null || !('baseUrl' in message)) {
    throw new Error(`the service did not start: ${output()}`)
  }
  return {
    baseUrl: String(message.baseUrl),
    pid,
    output,
    stop: async () => {
      child.send('stop')
      await exited
    },
  }
}
