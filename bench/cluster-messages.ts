import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { seed, type Tokens } from '../harness/database.js'
import { createLocalDatabase, dropDatabases, nodesOf } from '../harness/database-server.js'
import { callsApart, logRemoteCommands, watchRemoteCommands } from '../harness/remote-commands.js'
import { createApp } from '../src/app.js'
import { configFromEnvironment } from '../src/config.js'
import { createDatabase } from '../src/db/database.js'
import { distribute } from '../src/db/distribute.js'
import { systemRuntime } from '../src/runtime/runtime.js'
import { operations, otherOperations, standardOperations } from './operation-requests.js'
import type { Report } from './report.js'
import { sendText } from './same-answer.js'
import { createSerials, withSerial } from './serial.js'

const WORKERS = [2, 4, 8]
const SHARDS = 32
const size = { appInstances: 100, appResources: 4_000, priorities: 50, journeys: 20, users: 700 }
/** Operations that concern all organizations: people are on every node, and nobody knows whose a leaked secret is. */
const ofAllNodes = ['POST /v2/users', 'POST /v2/auth/revoke']

/**
 * Counts the messages that the coordinator sends to workers for a call of one organization, with 2, 4 and 8 workers as
 * far as the cluster has them. The target is the same number with any number of workers.
 */
export async function benchClusterMessages(url: string, report: Report): Promise<void> {
  const nodes = await nodesOf(url)
  const fewest = new Map<string, number>()
  for (const workers of WORKERS.filter((count) => count < nodes.length)) {
    for (const [name, messages] of await countMessages(nodes.slice(0, workers + 1))) {
      const before = fewest.get(name)
      fewest.set(name, before ?? messages)
      report.atMost(`${name}: messages to ${workers} workers`, messages, before ?? messages)
    }
  }
}

/** The messages of a call of each operation, by its name. */
async function countMessages(nodes: readonly string[]): Promise<readonly (readonly [string, number])[]> {
  const name = `svc_bench_${randomUUID().replaceAll('-', '')}`
  const connectionString = await createLocalDatabase(nodes, name)
  await distribute(connectionString, SHARDS, () => {})
  const tokens = await seed(connectionString, size)
  await logRemoteCommands(connectionString)
  const log = pino({ level: 'silent' })
  const open = () => createDatabase({ connectionString, isDistributed: true, log })
  const [watched, background] = [open(), open()]
  const take = watchRemoteCommands(watched)
  const config = configFromEnvironment({ TRUST_PROXY: '1' })
  const app = createApp({ config, database: callsApart(watched, background), runtime: systemRuntime, log })
  const { port } = await app.listen(0, '127.0.0.1')
  const nextSerial = createSerials()
  const send = async (request: string) => {
    const { status, body } = await sendText(port, withSerial(request, nextSerial()))
    if (status !== 200) throw new Error(`${request.split('\r\n')[0]} answered ${status}: ${body}`)
  }
  const counted: (readonly [string, number])[] = []
  for (const { name, requests, before } of operationsOf(tokens)) {
    const [first = '', second = first] = requests
    await send(first)
    if (before !== undefined) await send(before)
    take()
    await send(second)
    counted.push([name, take().count])
  }
  await app.close()
  await watched.close()
  await background.close()
  await dropDatabases(nodes, [name])
  return counted
}

function operationsOf(tokens: Tokens) {
  const all = [...operations(tokens), ...standardOperations(tokens), ...otherOperations(tokens)]
  return all.filter(({ name }) => !ofAllNodes.includes(name))
}
