import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { createDatabase, type Database } from '../db/database.js'
import { type DatabaseDiagnosis, diagnoseDatabase, LEAST_FREE_BYTES } from '../db/diagnosis.js'
import { loadMigrations, pendingMigrations } from '../db/migrate.js'
import { createReplica, type Replica } from '../db/replica.js'
import { systemTiming } from '../db/retries.js'
import { runningServers } from '../db/server-presence.js'
import { connectFailure, reasonOf } from '../db/session.js'
import { sessionFault, startRefusal } from '../db/session-check.js'
import { fetchIssuerKeys } from '../domain/auth/issuer-keys.js'
import { pepperFault } from '../domain/auth/pepper-check.js'
import { findBehind } from '../domain/webhook/backlog.js'
import { createSecretStore, sealKeyFault } from '../domain/webhook/secret-store.js'
import { readTlsIdentity, timeFault } from '../http/tls-identity.js'
import { readBacklog } from '../store/event.js'
import { enabledEndpoints } from '../store/webhook-endpoint.js'
import {
  aligned,
  answer,
  type CommandContext,
  directUrlOf,
  type JsonOption,
  originOf,
  sessionsOf,
} from './command-context.js'
import { openEmbedded } from './open-database.js'

/** The result of one check: a sentence, which for a fault says what to do. */
type Finding = Awaited<ReturnType<typeof find>>

/** Older versions of PostgreSQL lack what the migrations use. */
const LEAST_MAJOR_VERSION = 15
/** The connections that a process needs to the server itself if its calls go through a pooler. */
const SESSIONS_PAST_POOLER = 2
/** Credentials expire by both clocks; the network and a busy machine explain up to a second of difference. */
const MAX_CLOCK_MILLIS = 1_000
/** Servers put events into the feed within seconds. */
const MAX_EVENT_MILLIS = 60_000
/** Attempts that are due are made within seconds. */
const MAX_WEBHOOK_SECONDS = 300
/** Reports a certificate while there is still time to renew it. */
const RENEWAL_MILLIS = 14 * 86_400_000

/** `svc doctor`: whether a server could run here, and what to do if not. Changes nothing; fails if there is a fault. */
export function registerDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'check configuration, database, clock, migrations, events, webhooks, keys, port, certificate and issuer, and say what to fix',
    )
    .option('--json', 'print one JSON object')
    .action(async (options: JsonOption) => {
      const findings = await examine(context)
      const faults = findings.filter(({ isHealthy }) => !isHealthy).length
      const checks = findings.map(({ check, isHealthy, text }) => ({ check, healthy: isHealthy, text }))
      const lines = findings.map(
        ({ check, isHealthy, text }) => [`${isHealthy ? 'ok   ' : 'FAULT'}  ${check}`, text] as const,
      )
      answer(context, options, { healthy: faults === 0, checks }, aligned(lines))
      if (faults > 0) throw new Error(faults === 1 ? '1 fault' : `${faults} faults`)
    })
}

/** A fault whose message says what to do. */
class Fault extends Error {}

/** The finding of a check that returns a sentence, or throws; `advice` says how to fix errors other than faults. */
async function find(check: string, advice: string, work: () => string | Promise<string>) {
  try {
    return { check, isHealthy: true, text: await work() }
  } catch (error) {
    const text = error instanceof Fault || advice === '' ? reasonOf(error) : `${reasonOf(error)}: ${advice}`
    return { check, isHealthy: false, text }
  }
}

async function examine(context: CommandContext): Promise<Finding[]> {
  const configuration = await find('configuration', 'fix the environment', () => {
    const given = context.config.settings.filter(({ isDefault }) => !isDefault).length
    const set = given === 1 ? '1 variable is set' : `${given} variables are set`
    return [`valid; ${set}, "svc config" shows all`, ...context.config.advice].join('; ')
  })
  if (!configuration.isHealthy) return [configuration]
  const { config, runtime } = context
  const { tls, oidc } = config
  const { findings, origins } = await examineDatabase(context)
  findings.push(await find('port', 'set PORT or HOST to another address', () => judgePort(config, origins)))
  if (tls !== undefined) findings.push(await find('certificate', '', () => judgeCertificate(tls, runtime.now())))
  if (oidc !== undefined) {
    const advice = 'fix OIDC_ISSUER, the issuer or the connection to it'
    findings.push(await find('issuer', advice, () => judgeIssuer(oidc.issuer)))
  }
  return [configuration, ...findings]
}

async function examineDatabase({ config, log, runtime }: CommandContext) {
  const findings: Finding[] = []
  let origins: readonly string[] = []
  let embedded: Awaited<ReturnType<typeof openEmbedded>> | undefined
  try {
    if (config.databaseUrl === undefined) embedded = await openEmbedded(config, log, false)
    const url = embedded?.connectionString ?? directUrlOf(config)
    const database = createDatabase({ connectionString: url, log, maxConnections: 1 })
    try {
      const diagnosis = await diagnoseDatabase(database)
      await database.clock.measure()
      const sessions = sessionsOf(config, url)
      const { databaseDirectUrl, databasePoolSize, databaseReplicaUrl } = config
      const needed = databaseDirectUrl === undefined ? databasePoolSize : SESSIONS_PAST_POOLER
      findings.push(
        await find('database', '', () => judgeDatabase(diagnosis, needed)),
        await find('sessions', 'start the pooler or fix DATABASE_URL', () => judgeSessions(sessions)),
        await find('clock', '', () => judgeClock(database.clock.aheadMillis())),
        await find('migrations', '', () => judgeMigrations(url)),
      )
      if (databaseReplicaUrl !== undefined) {
        const advice = 'fix DATABASE_REPLICA_URL or the replica; until then, reads go to the primary'
        const options = { ...sessions, connectionString: databaseReplicaUrl, log, maxConnections: 1 }
        findings.push(await find('replica', advice, () => judgeReplica(createReplica(options, database, systemTiming))))
      }
      origins = await runningServers(database)
      if (findings.every(({ check, isHealthy }) => isHealthy || check !== 'migrations')) {
        findings.push(
          await find('events', '', () => judgeEvents(database, origins.length > 0, runtime.now())),
          await find('webhooks', '', () => judgeWebhooks(database, config, runtime.now())),
          await find('secret pepper', '', () => judgePepper(database, config)),
          await find('seal key', '', () => judgeSealKey(database, config, runtime.now())),
        )
      }
    } finally {
      await database.close()
    }
  } catch (error) {
    const variable = config.databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
    const advice = config.databaseUrl === undefined ? '' : `: start the database or fix ${variable}`
    const refusal = startRefusal(error)
    const text = refusal === undefined ? connectFailure(error, advice) : `sessions ${refusal}`
    findings.push({ check: 'database', isHealthy: false, text })
  } finally {
    await embedded?.stop()
  }
  return { findings, origins }
}

function judgeDatabase(
  { version, majorVersion, onlyReads, freeConnections, freeBytes }: DatabaseDiagnosis,
  needed: number,
) {
  const name = `PostgreSQL ${version}`
  if (majorVersion < LEAST_MAJOR_VERSION) {
    throw new Fault(`${name} is too old: the service needs PostgreSQL ${LEAST_MAJOR_VERSION} or later`)
  }
  if (onlyReads) {
    throw new Fault(
      `${name} is read-only: point DATABASE_URL to the primary, or turn off default_transaction_read_only`,
    )
  }
  if (freeBytes < LEAST_FREE_BYTES) {
    const left = `${Math.floor(freeBytes / 2 ** 20)} MiB`
    throw new Fault(`the disk of ${name} is full, ${left} are left: it refuses writes until there is room`)
  }
  if (freeConnections < needed) {
    const text = `${name} has ${freeConnections} free connections, but each process uses up to ${needed}`
    throw new Fault(`${text}: raise max_connections or lower DATABASE_POOL_SIZE`)
  }
  const room = Number.isFinite(freeBytes) ? `, and ${(freeBytes / 2 ** 30).toFixed(1)} GiB of free disk` : ''
  return `${name} answers and has ${freeConnections} free connections${room}`
}

async function judgeSessions(sessions: ReturnType<typeof sessionsOf>): Promise<string> {
  const fault = await sessionFault(sessions)
  if (fault !== undefined) throw new Fault(fault)
  const source = sessions.sessions === 'pooler' ? 'of a pooler' : 'of the server itself'
  return `${source}, with the settings that they need`
}

function judgeClock(aheadMillis: number): string {
  const millis = Math.round(Math.abs(aheadMillis))
  const text = `${millis} ms ${aheadMillis < 0 ? 'behind' : 'ahead of'} the database's`
  if (millis <= MAX_CLOCK_MILLIS) return text
  throw new Fault(`${text}: synchronize both clocks, or credentials expire early or late`)
}

async function judgeMigrations(url: string): Promise<string> {
  const migrations = await loadMigrations()
  const pending = await pendingMigrations(url, migrations)
  if (pending === undefined) throw new Fault('the database is empty: run "npx svc migrate"')
  if (pending.length > 0) throw new Fault(`${pending.join(', ')} not applied: run "npx svc migrate"`)
  return `all ${migrations.length} are applied`
}

async function judgeReplica(replica: Replica): Promise<string> {
  const { fault, behindBytes, hasFeedback } = await replica.compare().finally(() => void replica.pool.close(0))
  if (fault !== undefined) throw new Error(fault)
  const exports = hasFeedback ? 'it' : 'the primary, because its hot_standby_feedback is off'
  return `follows the database, ${behindBytes} bytes behind; exports are read from ${exports}`
}

/** Without a server, events wait for the next one. */
async function judgeEvents(database: Database, isServed: boolean, now: Date): Promise<string> {
  const { writes, oldestAt = now } = await readBacklog(database)
  if (writes === 0) return 'all are in the feed'
  const millis = now.getTime() - oldestAt.getTime()
  const text = `those of ${writes} ${writes === 1 ? 'write' : 'writes'} are not in the feed yet`
  if (!isServed) return `${text}: the next server puts them there`
  if (millis <= MAX_EVENT_MILLIS) return text
  const late = `${text}, the oldest for ${Math.round(millis / 1_000)} s`
  throw new Fault(`${late}: look for "events could not be given positions" in the log of the server`)
}

async function judgeWebhooks(database: Database, { sealKeys }: Config, now: Date): Promise<string> {
  const endpoints = await enabledEndpoints(database)
  if (endpoints.length === 0) return 'there are no endpoints'
  if (sealKeys.current === undefined) throw new Fault('SVC_SEAL_KEY is not set, but webhook endpoints exist')
  const late = (await findBehind(database, endpoints, now)).filter(({ lagSeconds }) => lagSeconds > MAX_WEBHOOK_SECONDS)
  const [worst] = late
  if (worst === undefined)
    return `${endpoints.length} ${endpoints.length === 1 ? 'endpoint is' : 'endpoints are'} up to date`
  const others = late.length === 1 ? '' : `, and ${late.length - 1} others are behind too`
  const since = `an attempt of ${worst.id} in ${worst.organizationId} has been due for ${Math.round(worst.lagSeconds)} s`
  throw new Fault(
    `${since}${others}: look for "webhooks could not be sent" in the log of the server, and at its receiver`,
  )
}

async function judgePepper(database: Database, { peppers }: Config): Promise<string> {
  const fault = await pepperFault(database, peppers)
  if (fault !== undefined) throw new Fault(fault)
  const isUsed = peppers.current !== undefined || peppers.previous !== undefined
  return isUsed ? 'is that of the database' : 'none is set, and none is needed'
}

async function judgeSealKey(database: Database, { sealKeys }: Config, now: Date): Promise<string> {
  const counts = await createSecretStore(sealKeys).count(database, now)
  const all = counts.current + counts.previous + counts.neither
  const fault = sealKeyFault(counts)
  if (fault !== undefined) throw new Fault(fault)
  if (counts.neither > 0) {
    const lost = `${counts.neither} of ${all} secrets of webhooks were sealed with another key`
    throw new Fault(`${lost}: set it as SVC_SEAL_KEY_PREVIOUS, or rotate the secrets of these endpoints`)
  }
  if (sealKeys.previous === undefined)
    return all === 0 ? 'has sealed nothing yet' : `opens all ${all} secrets of webhooks`
  if (counts.previous === 0) return 'nothing is sealed with SVC_SEAL_KEY_PREVIOUS any more: it can be removed'
  const left = `${counts.previous} of ${all} secrets of webhooks are still sealed with SVC_SEAL_KEY_PREVIOUS`
  return `${left}: keep it, a server seals them again within a minute`
}

/** Listens for a moment: only that shows whether a server could. */
async function judgePort({ host, port, tls }: Config, runningOrigins: readonly string[]): Promise<string> {
  const origin = originOf(host, port, tls && 'https')
  if (runningOrigins.includes(origin)) return `a server of this database listens on ${origin}`
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    return `${origin} is free`
  } finally {
    server.close()
  }
}

async function judgeCertificate(files: NonNullable<Config['tls']>, now: Date): Promise<string> {
  const identity = await readTlsIdentity(files)
  const fault = timeFault(identity, now)
  if (fault !== undefined) throw new Fault(fault)
  const text = `belongs to its key and expires at ${identity.expiresAt.toISOString()}`
  if (identity.expiresAt.getTime() - now.getTime() >= RENEWAL_MILLIS) return text
  throw new Fault(`${text}: renew it, and send SIGHUP`)
}

async function judgeIssuer(issuer: string): Promise<string> {
  const { keys } = await fetchIssuerKeys(issuer)
  if (keys.length === 0) throw new Fault(`${issuer} has no keys: add one to it`)
  return `${issuer} answers and has ${keys.length === 1 ? '1 key' : `${keys.length} keys`}`
}
