import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '..', '..', 'dist', 'src', 'main.js')

/** How the program is run. */
export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** What a run of the program left. */
export interface ProgramResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built program to its end. */
export async function runSvc(
  args: readonly string[],
  { env, stdin = '' }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawnSvc(args, env)
  const written = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text
  })
  child.stdin?.end(stdin)
  await once(child, 'close')
  return { status: child.exitCode, ...written }
}

/** A running `svc serve`. */
export interface RunningServe {
  readonly origin: string
  readonly pid: number
  /** What it has printed, up to and with the last request to paste. */
  readonly banner: string
  /** Asks it to stop and answers the exit status. */
  stop(): Promise<number | null>
}

/** Starts `svc serve` on a free port and waits until it listens. Throws with its standard error where it does not. */
export async function startServe(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningServe> {
  const child = spawnSvc(['serve', ...args], { PORT: '0', LOG_LEVEL: 'warn', ...env })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const banner = await bannerOf(child, () => stderr)
  const origin = /listens on (\S+)/.exec(banner)?.[1]
  if (origin === undefined || child.pid === undefined) throw new Error(`svc serve did not start: ${banner}${stderr}`)
  return {
    origin,
    pid: child.pid,
    banner,
    stop: async () => {
      if (child.exitCode !== null) return child.exitCode
      child.kill('SIGTERM')
      await once(child, 'exit')
      return child.exitCode
    },
  }
}

/** The lines until the one that ends the banner; a serve without the demo prints the first alone. */
async function bannerOf(child: ChildProcess, stderr: () => string): Promise<string> {
  const lines: string[] = []
  if (child.stdout === null) throw new Error('svc serve has no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('API keys of its own') || (lines.length === 1 && !child.spawnargs.includes('--demo'))) {
      child.stdout.resume()
      return lines.join('\n')
    }
  }
  throw new Error(`svc serve ended: ${lines.join('\n')}${stderr()}`)
}

function spawnSvc(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [main, ...args], { env: { PATH, HOME, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
}
