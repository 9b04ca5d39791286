import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../src/package.js'

/** A run of the program. */
export interface Run {
  readonly process: ChildProcess
  readonly startedAt: number
  /** Resident memory in bytes: now, and the most that there was. */
  memory(): { readonly now: number; readonly peak: number }
  /** Resolves with the line of output that contains the text. Throws if the program ends before. */
  line(text: string): Promise<string>
  /** Processor time of all threads since the start, in steps of 10 ms. */
  cpuMicros(): number
  /** Resolves with the output when the program has ended; throws unless it ended well. */
  ended(): Promise<string>
}

/**
 * Starts the program as `npm start` does, from the checkout `root`, with its own arguments and settings. Its log goes
 * line by line to `onLog`, or else to the standard error of this process.
 */
export function runProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  root = packageRoot(),
  onLog?: (line: string) => void,
): Run {
  const main = join(root, 'dist/svc/main.js')
  const startedAt = performance.now()
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', DRAIN_SECONDS: '0', ...environment },
    stdio: ['ignore', 'pipe', onLog === undefined ? 'inherit' : 'pipe'],
  })
  if (onLog !== undefined && child.stderr !== null) createInterface(child.stderr).on('line', onLog)
  const exit = once(child, 'exit')
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  return {
    process: child,
    startedAt,
    cpuMicros: () => cpuMicrosOf(child.pid),
    memory: () => ({ now: statusOf(child.pid, 'VmRSS'), peak: statusOf(child.pid, 'VmHWM') }),
    line: async (text) => {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}:\n${output}`)
        await Promise.race([once(child.stdout ?? child, 'data'), exit])
      }
      return output.split('\n').find((line) => line.includes(text)) ?? ''
    },
    ended: async () => {
      const [code] = await exit
      if (code !== 0) throw new Error(`the program ended with ${code}:\n${output}`)
      return output
    },
  }
}

/** The unit in which the system counts the time of processes. */
const TICK_MICROS = 10_000

function cpuMicrosOf(pid: number | undefined): number {
  const [own = 0] = ticksOf(pid)
  return own * TICK_MICROS
}

/** Processor time of a process and its children, of those that have ended too. */
export function cpuMicrosOfTree(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const running = children.reduce((sum, child) => sum + (unlessEnded(() => ticksOf(Number(child))[0]) ?? 0), 0)
  const [own = 0, ended = 0] = ticksOf(pid)
  return (own + ended + running) * TICK_MICROS
}

/** The time of a process, and of its children that have ended. */
function ticksOf(pid: number | undefined): number[] {
  // The name of the program, in parentheses, may have spaces; 12th and 13th after it are the times of user and system.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return [Number(fields[11]) + Number(fields[12]), Number(fields[13]) + Number(fields[14])]
}

/** A field of /proc/PID/status in bytes; 0 if the process has ended or the system has no such file. */
function statusOf(pid: number | undefined, field: string): number {
  const status = unlessEnded(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? ''
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024
}

/** The result of reading about a process; undefined if it has ended or the system has no such file. */
function unlessEnded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined
    throw error
  }
}
