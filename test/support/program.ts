import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const program = join(import.meta.dirname, '..', '..', 'bin', 'svc.mjs')

/** How to run a program. */
export interface ProgramOptions {
  /** In addition to `PATH` and `HOME`; nothing else of this process's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly cwd?: string
}

/** The result of a run of the program. */
export interface ProgramResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `svc` to its end. */
export function runSvc(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
  return runCommand(program, args, options)
}

/** Runs a program to its end. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { env, stdin = '', cwd }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawnProgram(command, args, env, cwd)
  const written = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text
  })
  child.stdin.end(stdin)
  await once(child, 'close')
  return { status: child.exitCode, ...written }
}

/** A running `svc serve`. */
export interface RunningServe {
  readonly origin: string
  readonly pid: number
  /** What it has printed for people. */
  readonly banner: string
  /** What it has written to standard error so far. */
  stderr(): string
  /** Asks it to stop and returns the exit status. */
  stop(): Promise<number | null>
}

const usual = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  DRAIN_SECONDS: '0',
  // The fixture has webhook endpoints.
  SVC_SEAL_KEY: 'a key of thirty-two characters !!',
}

/** Starts `svc serve` on a free port and waits until it listens. Throws with its standard error if it does not. */
export async function startServe(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningServe> {
  const child = spawnProgram(program, ['serve', ...args], { ...usual, ...env })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const banner = await bannerOf(child, () => stderr)
  const origin = /listens on (\S+)/.exec(banner)?.[1]
  if (origin === undefined || child.pid === undefined) throw new Error(`svc serve did not start: ${banner}${stderr}`)
  return {
    origin,
    pid: child.pid,
    banner,
    stderr: () => stderr,
    stop: async () => {
      if (child.exitCode !== null) return child.exitCode
      child.kill('SIGTERM')
      await once(child, 'exit')
      return child.exitCode
    },
  }
}

/** The lines until the last one of the banner. */
async function bannerOf(child: ChildProcessWithoutNullStreams, stderr: () => string): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('  npx svc status')) {
      child.stdout.resume()
      return `${lines.join('\n')}\n`
    }
  }
  throw new Error(`svc serve ended: ${lines.join('\n')}${stderr()}`)
}

function spawnProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): ChildProcessWithoutNullStreams {
  const { PATH = '', HOME = '' } = process.env
  return spawn(command, args, { env: { PATH, HOME, ...env }, cwd, stdio: 'pipe' })
}
