import { Command, CommanderError } from 'commander'
import type { Logger } from 'pino'
import { type Config, configFromEnvironment, type Environment } from '../config.js'
import type { Database } from '../db/database.js'
import { serverMessage } from '../db/errors.js'
import { ServiceError } from '../errors.js'
import { packageRoot, packageVersion } from '../package.js'
import { systemRuntime } from '../runtime/runtime.js'
import type { CommandContext } from './command-context.js'
import { createLog } from './log.js'

/** The commands by their first word; the modules of each are loaded when it is called. */
const commands = new Map([
  ['serve', async () => (await import('./serve.js')).registerServeCommand],
  ['migrate', async () => (await import('./schema.js')).registerMigrateCommand],
  ['init', async () => (await import('./organizations.js')).registerInitCommand],
  ['import', async () => (await import('./import.js')).registerImportCommand],
  ['export', async () => (await import('./import.js')).registerExportCommand],
  ['organizations', async () => (await import('./organizations.js')).registerOrganizationsCommand],
  ['keys', async () => (await import('./keys.js')).registerKeysCommand],
  ['users', async () => (await import('./users.js')).registerUsersCommand],
  ['tokens', async () => (await import('./tokens.js')).registerTokensCommand],
  ['version', async () => (await import('./config.js')).registerVersionCommand],
  ['status', async () => (await import('./announcement.js')).registerStatusCommand],
  ['config', async () => (await import('./config.js')).registerConfigCommand],
  ['doctor', async () => (await import('./doctor.js')).registerDoctorCommand],
  ['directory', async () => (await import('./directory.js')).registerDirectoryCommand],
  ['events', async () => (await import('./events.js')).registerEventsCommand],
  ['distribute', async () => (await import('./schema.js')).registerDistributeCommand],
  ['completion', async () => (await import('./completion.js')).registerCompletionCommand],
  ['demo', async () => (await import('./demo.js')).registerDemoCommand],
])

export interface ProgramOptions
  extends Pick<CommandContext, 'stdin' | 'stdout' | 'stderr' | 'stopSignal' | 'onHangup'> {
  readonly environment?: Environment
}

/** Runs the command line and returns the exit status: 0, or 1 with a line on standard error that says why. */
export async function runProgram(argv: readonly string[], options: ProgramOptions): Promise<number> {
  const program = await createProgram(argv, options)
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    // Commander has written its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
    options.stderr.write(`svc: ${textOf(error)}\n`)
    return 1
  }
}

/** Advice on errors of the database, by SQLSTATE; other errors explain themselves. */
const databaseAdvice: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only: point DATABASE_URL to the primary, or turn off default_transaction_read_only',
  '42501':
    'the role in DATABASE_URL may not do this: let it own the database and its tables (ALTER DATABASE … OWNER TO, ' +
    'REASSIGN OWNED), or use the role that does',
  '53100': 'the disk of the database is full: make room',
}

/** Operators also see the id, which callers know from their request. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const report = error instanceof ServiceError ? undefined : serverMessage(error)
  const advice = report && databaseAdvice[report.sqlState]
  if (advice !== undefined) return `${report?.message}: ${advice}`
  // Prisma's errors quote the call.
  if (report !== undefined && error.message.includes('\n')) return report.message
  const id = error instanceof ServiceError ? error.metadata['resourceId'] : undefined
  return id === undefined || error.message.includes(id) ? error.message : `${error.message}: ${id}`
}

async function createProgram(argv: readonly string[], options: ProgramOptions): Promise<Command> {
  const context = createContext(options)
  const program = new Command('svc')
    .description('an administration API for access, workflows and tickets')
    .version(packageVersion(packageRoot()))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => options.stdout.write(text),
      writeErr: (text) => options.stderr.write(text),
    })
  for (const load of chosenCommands(argv)) (await load())(program, context)
  return program
}

/** The command that is called; all of them without one, such as for help, and for completion, which knows all. */
function chosenCommands([, , word = '']: readonly string[]) {
  if (word === '--version' || word === '-V') return []
  const called = commands.get(word)
  return called === undefined || word === 'completion' ? [...commands.values()] : [called]
}

/** The configuration is read when a command first asks for it: help and checks need none. */
function createContext({ environment, ...streams }: ProgramOptions): CommandContext {
  let config: Config | undefined
  let log: Logger | undefined
  let { now } = systemRuntime
  const onDatabase = async <T>(make: boolean, work: (database: Database, applied: readonly string[]) => Promise<T>) => {
    const { config, log } = context
    for (const advice of config.advice) log.warn(advice)
    const { openDatabase } = await import('./open-database.js')
    const opened = await openDatabase({ config, log, make })
    context.useClock(opened.database.clock)
    try {
      return await work(opened.database, opened.appliedMigrations)
    } catch (error) {
      const { errorForOperator } = await import('./not-found.js')
      throw await errorForOperator(opened.database, error)
    } finally {
      await opened.close()
    }
  }
  const context: CommandContext = {
    ...streams,
    runtime: { ...systemRuntime, now: () => now() },
    useClock: (clock) => {
      now = clock.now
    },
    get config() {
      config ??= configFromEnvironment(environment)
      return config
    },
    get log() {
      log ??= createLog(context.config, context.stderr)
      return log
    },
    onDatabase: (work) => onDatabase(false, work),
    onPreparedDatabase: (work) => onDatabase(true, work),
  }
  return context
}
