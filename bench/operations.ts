import pg from 'pg'
import { type EmbeddedServer, seed } from '../harness/database.js'
import { operationsSize } from '../harness/records.js'
import { type ServerProcess, startServer } from './child.js'
import { compare, type Rounds, ratioOf } from './compare.js'
import {
  type HandWrittenOperation,
  type Operation,
  operations,
  otherOperations,
  standardOperations,
} from './operation-requests.js'
import type { Report } from './report.js'
import { openSameAnswerCheck } from './same-answer.js'

/** The least share of the throughput of the peer with models. */
const OVER_MODELS = 1.2

interface Servers {
  readonly service: ServerProcess
  readonly models: ServerProcess
  readonly handWritten: ServerProcess
}

/**
 * Compares the 13 REST operations, and two of the standard methods, with the peer on Prisma's models, and four of them
 * with the hand-written one.
 */
export async function benchOperations(
  server: EmbeddedServer,
  report: Report,
  rounds: Rounds,
  only?: string,
): Promise<void> {
  const connectionString = await server.createDatabase('operations')
  const tokens = await seed(connectionString, operationsSize)
  const ofPeer = await server.copyDatabase('operations', 'operations_of_peer')
  await indexAsAuthorsDo(ofPeer)
  const check = await openSameAnswerCheck([connectionString, ofPeer])
  const servers: Servers = {
    service: await startServer('service', { connectionString }),
    models: await startServer('models-peer', { connectionString }),
    handWritten: await startServer('peer', { connectionString: ofPeer }),
  }
  const { service, models, handWritten } = servers
  const isWanted = ({ name }: Operation) => only === undefined || name.includes(only)
  try {
    for (const operation of operations(tokens).filter(isWanted)) {
      await check.requireSame(operation, [service, models, handWritten])
      await compareWithModels(report, operation, servers, rounds)
      await compareWithHandWritten(report, operation, servers, { ...rounds, database: server })
    }
    for (const operation of [...otherOperations(tokens), ...standardOperations(tokens)].filter(isWanted)) {
      await check.requireSame(operation, [service, models])
      await compareWithModels(report, operation, servers, rounds)
    }
  } finally {
    await check.close()
    for (const each of Object.values(servers)) await each.stop()
  }
}

/**
 * Replaces the indexes of tables that the hand-written peer writes with those that a careful author would choose: keys,
 * uniqueness, foreign keys, and audit events by time, by target and by action.
 */
async function indexAsAuthorsDo(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  for (const statement of [
    'DROP INDEX app_resources_organization_id_ordinal_key, app_resources_organization_id_team_id_ordinal_idx',
    'DROP INDEX app_resources_words_idx, priorities_organization_id_ordinal_key',
    'DROP INDEX audit_events_organization_id_target_id_id_idx',
    'CREATE INDEX ON audit_events (organization_id, occurred_at)',
    'CREATE INDEX ON audit_events (organization_id, target_id, occurred_at)',
    'CREATE INDEX ON audit_events (organization_id, action, occurred_at)',
    'VACUUM ANALYZE',
  ]) {
    await client.query(statement)
  }
  await client.end()
}

async function compareWithModels(
  report: Report,
  { name, requests, connections }: Operation,
  servers: Servers,
  rounds: Rounds,
): Promise<void> {
  const contestants = [
    { name: 'peer with models', server: servers.models, requests },
    { name: 'service', server: servers.service, requests },
  ]
  const standings = await compare(contestants, { ...rounds, connections })
  report.standings(`${name}, beside models`, standings)
  const [models, service] = standings
  if (models === undefined || service === undefined) throw new Error('a contestant is missing')
  const ratio = ratioOf('requestsPerSecond', service, models)
  report.ratioAtLeast(`${name}: throughput over that of the peer with models`, ratio, OVER_MODELS)
}

async function compareWithHandWritten(
  report: Report,
  operation: HandWrittenOperation,
  servers: Servers,
  rounds: Rounds,
): Promise<void> {
  const { name, requests, connections, target } = operation
  const contestants = [
    { name: 'peer', server: servers.handWritten, requests },
    { name: 'service', server: servers.service, requests },
  ]
  const standings = await compare(contestants, { ...rounds, connections })
  const [peer, service] = standings
  if (peer === undefined || service === undefined) throw new Error('a contestant is missing')
  report.standings(name, standings)
  report.atLeast(`${name}: throughput over that of the peer`, service.ratio, target)
  const both = ratioOf('allCpuMicrosPerRequest', peer, service)
  report.noteRatio(`${name}: processor time of the peer with PostgreSQL over that of the service`, both)
  report.noteRatio(`${name}: WAL over that of the peer`, ratioOf('walBytesPerRequest', service, peer))
  report.atMost(`${name}: p99 over that of the peer`, service.p99Millis / peer.p99Millis, 1)
  if (operation.maxStallMillis !== undefined) await benchStall(report, operation, servers.service, rounds)
}

/** Measures stalls with one request at a time: with more, the process also waits for a processor that others use. */
async function benchStall(
  report: Report,
  { name, requests, maxStallMillis = 0 }: HandWrittenOperation,
  server: ServerProcess,
  rounds: Rounds,
): Promise<void> {
  const [alone] = await compare([{ name: 'service', server, requests }], { ...rounds, connections: 1 })
  if (alone === undefined) throw new Error('the service is missing')
  report.standings(`${name}, one request at a time`, [alone])
  report.atMost(`${name}: longest stall of the event loop, ms`, alone.stallMillis, maxStallMillis)
}
