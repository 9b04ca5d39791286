import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { pino } from 'pino'
import type { CommandContext } from '../../src/cli/command-context.js'
import { configFromEnvironment } from '../../src/config.js'
import type { TestService } from './service.js'

type Register = (program: Command, context: CommandContext) => void

/** Runs a command line beside a running service, on its database. */
export async function runCommandBeside(
  service: TestService,
  registrations: readonly Register[],
  line: readonly string[],
  { stdin = '', offline = false } = {},
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const context: CommandContext = {
    config: configFromEnvironment({}),
    runtime: service.runtime,
    log: pino({ level: 'silent' }),
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    stopSignal: new AbortController().signal,
    useClock: () => {},
    onDatabase: async (work) => {
      if (offline) throw new Error('this command asks no database')
      return work(service.database)
    },
    onPreparedDatabase: () => Promise.reject(new Error('this command makes no database')),
  }
  const program = new Command('svc').exitOverride().configureOutput({
    writeOut: (written) => stdout.write(written),
    writeErr: (written) => stderr.write(written),
  })
  for (const register of registrations) register(program, context)
  const failure = await program.parseAsync(['node', 'svc', ...line]).then(
    () => undefined,
    (error: Error) => error.message,
  )
  stdout.end()
  stderr.end()
  return { failure, stdout: await text(stdout), stderr: await text(stderr) }
}
