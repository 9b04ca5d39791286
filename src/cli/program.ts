import { randomBytes } from 'node:crypto'
import { Command, CommanderError } from 'commander'
import type { Logger } from 'pino'
import { type Config, configFromEnvironment } from '../config.js'
import { ServiceError } from '../errors.js'
import { packageRoot, packageVersion } from '../package.js'
import type { Runtime } from '../runtime/runtime.js'
import { createUuidV7 } from '../runtime/uuid-v7.js'
import { type CommandContext, openConfiguredDatabase } from './command-context.js'
import { registerDemoCommand } from './demo.js'
import { registerExportCommand } from './export.js'
import { registerImportCommand } from './import.js'
import { registerKeysCommand } from './keys.js'
import { createLog } from './log.js'
import { registerMigrateCommand } from './migrate.js'
import { registerServeCommand } from './serve.js'
import { registerStatusCommand } from './status.js'
import { registerTokensCommand } from './tokens.js'

/** What the program gets from the process. */
export type ProgramStreams = Pick<CommandContext, 'stdin' | 'stdout' | 'stderr' | 'stopSignal'>

/** Runs the command line and answers the exit status: 0, or 1 with a line on standard error that says why. */
export async function runProgram(argv: readonly string[], streams: ProgramStreams): Promise<number> {
  const program = createProgram(streams)
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    // Commander has written its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
    streams.stderr.write(`svc: ${textOf(error)}\n`)
    return 1
  }
}

/** The operator is told the id as well, which callers know from the request. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const id = error instanceof ServiceError ? error.metadata['resourceId'] : undefined
  return id === undefined ? error.message : `${error.message}: ${id}`
}

function createProgram(streams: ProgramStreams): Command {
  const context = createContext(streams)
  const program = new Command('svc')
    .description('an administration API for access, workflows and tickets')
    .version(packageVersion(packageRoot()))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    })
  for (const register of [
    registerServeCommand,
    registerMigrateCommand,
    registerImportCommand,
    registerExportCommand,
    registerKeysCommand,
    registerTokensCommand,
    registerStatusCommand,
    registerDemoCommand,
  ]) {
    register(program, context)
  }
  return program
}

/** The configuration is read when a command first asks: help and checks need none. */
function createContext(streams: ProgramStreams): CommandContext {
  let config: Config | undefined
  let log: Logger | undefined
  const context: CommandContext = {
    ...streams,
    runtime: createSystemRuntime(),
    get config() {
      config ??= configFromEnvironment()
      return config
    },
    get log() {
      log ??= createLog(context.config, context.stderr)
      return log
    },
    openDatabase: () => openConfiguredDatabase({ config: context.config, log: context.log, make: false }),
    makeDatabase: () => openConfiguredDatabase({ config: context.config, log: context.log, make: true }),
  }
  return context
}

function createSystemRuntime(): Runtime {
  return {
    now: () => new Date(),
    newId: createUuidV7({ now: Date.now, randomBytes }),
    randomBytes: (size) => randomBytes(size),
  }
}
