import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runProgram } from '../../src/cli/program.js'

/** The input of a command. */
export interface CommandOptions {
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | Readable
  /** Whether standard error is a terminal; default no. */
  readonly isTTY?: boolean
  readonly stopSignal?: AbortSignal
}

/** Runs `svc` to its end in this process. */
export async function runInProcess(
  args: readonly string[],
  { env, stdin = '', isTTY = false, stopSignal = new AbortController().signal }: CommandOptions,
): Promise<{ status: number; stdout: string; stderr: string }> {
  const out = new PassThrough()
  const err = Object.assign(new PassThrough(), { isTTY })
  const outputs = Promise.all([text(out), text(err)])
  const status = await runProgram(['node', 'svc', ...args], {
    stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout: out,
    stderr: err,
    stopSignal,
    environment: env,
  })
  out.end()
  err.end()
  const [stdout, stderr] = await outputs
  return { status, stdout, stderr }
}
