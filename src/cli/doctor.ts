import { createServer } from 'node:net'
import type { Command } from 'commander'
import { connectFailure, reasonOf } from '../db/connect.js'
import { createDatabase } from '../db/database.js'
import { type DatabaseDiagnosis, diagnoseDatabase } from '../db/diagnosis.js'
import { pendingMigrations } from '../db/migrate.js'
import { loadMigrations } from '../db/migration.js'
import { diagnoseReplica } from '../db/replica-diagnosis.js'
import { runningServers } from '../db/server-presence.js'
import { type SessionOptions, sessionFault, startRefusal } from '../db/session-settings.js'
import { fetchIssuerKeys } from '../domain/auth/issuer-document.js'
import { readTlsIdentity, timeFault } from '../http/tls-identity.js'
import { type CommandContext, directUrlOf, sessionsOf } from './command-context.js'
import { openEmbedded } from './configured-database.js'
import { originOf } from './origin.js'

/** The result of one check: a sentence, which for a fault says what to do. */
interface Finding {
  readonly check:
    | 'configuration'
    | 'database'
    | 'sessions'
    | 'clock'
    | 'migrations'
    | 'replica'
    | 'port'
    | 'certificate'
    | 'issuer'
  readonly isHealthy: boolean
  readonly text: string
}

/** Older versions of PostgreSQL lack what the migrations use. */
const LEAST_MAJOR_VERSION = 15
/** What a process needs of the server itself if its calls go through a pooler. */
const SESSIONS_PAST_POOLER = 2
/** Credentials expire by both clocks; the network and a busy machine account for up to a second. */
const MAX_CLOCK_MILLIS = 1_000

/** `svc doctor`: whether a server could run here, and what to do if not. Changes nothing; fails if there is a fault. */
export function registerDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'check configuration, database, clock, migrations, port, certificate and issuer, and say what to correct',
    )
    .option('--json', 'answer one JSON object')
    .action(async ({ json }: { readonly json?: true }) => {
      const findings = await examine(context)
      const faults = findings.filter(({ isHealthy }) => !isHealthy).length
      context.stdout.write(json ? `${jsonFrom(findings)}\n` : findings.map(lineOf).join(''))
      if (faults > 0) throw new Error(faults === 1 ? '1 fault' : `${faults} faults`)
    })
}

function jsonFrom(findings: readonly Finding[]): string {
  return JSON.stringify({
    healthy: findings.every(({ isHealthy }) => isHealthy),
    checks: findings.map(({ check, isHealthy, text }) => ({ check, healthy: isHealthy, text })),
  })
}

function lineOf({ check, isHealthy, text }: Finding): string {
  return `${isHealthy ? 'ok   ' : 'FAULT'}  ${check.padEnd('configuration'.length)}  ${text}\n`
}

const healthy = (check: Finding['check'], text: string): Finding => ({ check, isHealthy: true, text })
const fault = (check: Finding['check'], text: string): Finding => ({ check, isHealthy: false, text })

async function examine(context: CommandContext): Promise<Finding[]> {
  try {
    const given = context.settings.filter(({ isDefault }) => !isDefault).length
    const set = given === 1 ? '1 variable is set' : `${given} variables are set`
    const sentences = [`valid; ${set}, "svc config" shows all`, ...context.config.databaseAdvice]
    return [healthy('configuration', sentences.join('; ')), ...(await examineWithConfiguration(context))]
  } catch (error) {
    return [fault('configuration', `${reasonOf(error)}: correct the environment`)]
  }
}

async function examineWithConfiguration(context: CommandContext): Promise<Finding[]> {
  const { config, log, runtime } = context
  const origins: string[] = []
  const findings: Finding[] = []
  let embedded: Awaited<ReturnType<typeof openEmbedded>> | undefined
  try {
    if (config.databaseUrl === undefined) embedded = await openEmbedded(config, log, false)
    const connectionString = embedded?.connectionString ?? directUrlOf(config)
    const diagnosis = await diagnoseDatabase(connectionString, runtime.now)
    findings.push(
      databaseFinding(
        diagnosis,
        config.databaseDirectUrl === undefined ? config.databasePoolSize : SESSIONS_PAST_POOLER,
      ),
      await sessionsFinding(config, connectionString),
      clockFinding(diagnosis),
    )
    findings.push(await migrationsFinding(connectionString))
    if (config.databaseReplicaUrl !== undefined) {
      findings.push(
        await replicaFinding(connectionString, { ...sessionsOf(config), connectionString: config.databaseReplicaUrl }),
      )
    }
    origins.push(...(await originsOn(connectionString, context)))
  } catch (error) {
    const variable = config.databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
    const advice = config.databaseUrl === undefined ? '' : `: start the database or correct ${variable}`
    const refusal = startRefusal(error)
    findings.push(fault('database', refusal === undefined ? connectFailure(error, advice) : `sessions ${refusal}`))
  } finally {
    await embedded?.stop()
  }
  return [
    ...findings,
    await portFinding(config, origins),
    ...(await certificateFindings(context)),
    ...(await issuerFindings(config)),
  ]
}

function databaseFinding(
  { version, majorVersion, onlyReads, freeConnections }: DatabaseDiagnosis,
  sessions: number,
): Finding {
  const name = `PostgreSQL ${version}`
  if (majorVersion < LEAST_MAJOR_VERSION) {
    return fault('database', `${name} is too old: the service needs PostgreSQL ${LEAST_MAJOR_VERSION} or later`)
  }
  if (onlyReads) {
    return fault(
      'database',
      `${name} is read-only: point DATABASE_URL to the primary, or turn off default_transaction_read_only`,
    )
  }
  if (freeConnections < sessions) {
    const text = `${name} has ${freeConnections} free connections, but each process uses up to ${sessions}`
    return fault('database', `${text}: raise max_connections or lower DATABASE_POOL_SIZE`)
  }
  return healthy('database', `${name} answers and has ${freeConnections} free connections`)
}

async function sessionsFinding(config: CommandContext['config'], otherwise: string): Promise<Finding> {
  const sessions = sessionsOf(config, otherwise)
  try {
    const found = await sessionFault({ ...sessions, statementNames: config.databaseStatementNames })
    if (found !== undefined) return fault('sessions', found)
    const source = sessions.sessions === 'pooler' ? 'of a pooler' : 'of the server itself'
    return healthy('sessions', `${source}, with the settings that they need`)
  } catch (error) {
    return fault('sessions', `${reasonOf(error)}: start the pooler or correct DATABASE_URL`)
  }
}

function clockFinding({ clockAheadMillis }: DatabaseDiagnosis): Finding {
  const millis = Math.round(Math.abs(clockAheadMillis))
  const text = `${millis} ms ${clockAheadMillis < 0 ? 'behind' : 'ahead of'} the database's`
  if (millis <= MAX_CLOCK_MILLIS) return healthy('clock', text)
  return fault('clock', `${text}: synchronize both clocks, or credentials expire early or late`)
}

async function migrationsFinding(connectionString: string): Promise<Finding> {
  const migrations = await loadMigrations()
  try {
    const pending = await pendingMigrations(connectionString, migrations)
    if (pending === undefined) return fault('migrations', 'the database is empty: run "npx svc migrate"')
    if (pending.length > 0) return fault('migrations', `${pending.join(', ')} not applied: run "npx svc migrate"`)
    return healthy('migrations', `all ${migrations.length} are applied`)
  } catch (error) {
    return fault('migrations', reasonOf(error))
  }
}

async function replicaFinding(connectionString: string, replica: SessionOptions): Promise<Finding> {
  const advice = 'correct DATABASE_REPLICA_URL or the replica; until then the primary reads for it'
  try {
    const { fault: reason, behindBytes, hasFeedback } = await diagnoseReplica(connectionString, replica)
    if (reason !== undefined) return fault('replica', `${reason}: ${advice}`)
    const exports = hasFeedback ? 'it' : 'the primary, because its hot_standby_feedback is off'
    return healthy('replica', `follows the database, ${behindBytes} bytes behind; exports are read from ${exports}`)
  } catch (error) {
    return fault('replica', `${reasonOf(error)}: ${advice}`)
  }
}

async function originsOn(connectionString: string, { log }: CommandContext): Promise<string[]> {
  const database = createDatabase({ connectionString, log, maxConnections: 1 })
  try {
    return await runningServers(database)
  } finally {
    await database.close()
  }
}

/** Listens for a moment: only that shows whether a server could. */
async function portFinding(
  { host, port, tls }: CommandContext['config'],
  runningOrigins: readonly string[],
): Promise<Finding> {
  const origin = originOf(host, port, tls && 'https')
  if (runningOrigins.includes(origin)) return healthy('port', `a server of this database listens on ${origin}`)
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve)
    })
    return healthy('port', `${origin} is free`)
  } catch (error) {
    return fault('port', `${reasonOf(error)}: set PORT or HOST to another address`)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

/** One that ends soon is found while there is still time to renew it. */
const RENEWAL_DAYS = 14

/** None if the service speaks cleartext. */
async function certificateFindings({ config, runtime }: CommandContext): Promise<Finding[]> {
  if (config.tls === undefined) return []
  try {
    const identity = await readTlsIdentity(config.tls)
    const { expiresAt } = identity
    const wrong = timeFault(identity, runtime.now())
    if (wrong !== undefined) return [fault('certificate', wrong)]
    const text = `belongs to its key and expires at ${expiresAt.toISOString()}`
    const isDue = expiresAt.getTime() - runtime.now().getTime() < RENEWAL_DAYS * 86_400_000
    return [isDue ? fault('certificate', `${text}: renew it, and send SIGHUP`) : healthy('certificate', text)]
  } catch (error) {
    return [fault('certificate', reasonOf(error))]
  }
}

/** None if no issuer is trusted. */
async function issuerFindings({ oidc }: CommandContext['config']): Promise<Finding[]> {
  if (oidc === undefined) return []
  try {
    const { keys } = await fetchIssuerKeys(oidc.issuer)
    if (keys.length === 0) return [fault('issuer', `${oidc.issuer} has no keys: add one to it`)]
    return [healthy('issuer', `${oidc.issuer} answers and has ${keys.length === 1 ? '1 key' : `${keys.length} keys`}`)]
  } catch (error) {
    return [fault('issuer', `${reasonOf(error)}: correct OIDC_ISSUER, the issuer or the way to it`)]
  }
}
