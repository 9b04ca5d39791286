import { type ServerProcess, startServer } from './child.js'
import { compare, type Rounds, type Standing } from './compare.js'
import { type BenchServer, seed, type Tokens } from './database.js'
import { journeyId, operationsSize, place } from './records.js'
import type { Report } from './report.js'

/** One of the REST operations, as the service and its peer both answer it. */
export interface Operation {
  readonly name: string
  readonly requests: readonly string[]
  /** The least share of the peer's throughput. */
  readonly target: number
  readonly maxStallMillis?: number
}

/** The four REST operations, compared with the hand-written peer. */
export async function benchOperations(
  server: BenchServer,
  report: Report,
  rounds: Rounds,
  only?: string,
): Promise<void> {
  const connectionString = await server.createDatabase('operations')
  const tokens = await seed(connectionString, operationsSize)
  const service = await startServer('service', { connectionString })
  const peer = await startServer('peer', { connectionString })
  try {
    for (const operation of operations(tokens)) {
      if (only !== undefined && !operation.name.includes(only)) continue
      await holdSameAnswer(operation, [service, peer])
      const standings = await compare(
        [
          { name: 'peer', server: peer, requests: operation.requests },
          { name: 'service', server: service, requests: operation.requests },
        ],
        rounds,
      )
      addRows(report, operation, standings)
      if (operation.maxStallMillis !== undefined) await benchStall(report, operation, service, rounds)
    }
  } finally {
    await service.stop()
    await peer.stop()
  }
}

function addRows(report: Report, { name, target }: Operation, standings: readonly Standing[]): void {
  const [peer, service] = standings
  if (peer === undefined || service === undefined) throw new Error('a contestant is missing')
  report.standings(name, standings)
  report.atLeast(`${name}: throughput over that of the peer`, service.ratio, target)
  report.atMost(`${name}: p99 over that of the peer`, service.p99Millis / peer.p99Millis, 1)
}

// One request at a time: with more, processes wait for each other's processor, for which the event loop is not to
// blame.
async function benchStall(
  report: Report,
  { name, requests, maxStallMillis = 0 }: Operation,
  server: ServerProcess,
  rounds: Rounds,
): Promise<void> {
  const [alone] = await compare([{ name: 'service', server, requests }], { ...rounds, connections: 1 })
  if (alone === undefined) throw new Error('the service is missing')
  report.standings(`${name}, one request at a time`, [alone])
  report.atMost(`${name}: longest stall of the event loop, ms`, alone.stallMillis, maxStallMillis)
}

/** The operations with their requests. */
export function operations({ key, user }: Tokens): Operation[] {
  const send = (line: string, token: string, body = '') => {
    const type = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
    return `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n${type}\r\n${body}`
  }
  const range = (count: number) => Array.from({ length: count }, (_, index) => index)
  const entry = (index: number) => ({
    id: `resource-${index}`,
    resourceType: 'group',
    name: `Renamed ${index}`,
    description: 'Another group',
    externalId: `external-${index}`,
    scopedId: `ares_${index}`,
  })
  return [
    {
      name: 'GET /v2/journeys/{id}',
      requests: range(200).map((index) => send(`GET /v2/journeys/${journeyId(index)}`, key)),
      target: 1,
    },
    {
      name: 'PATCH /v2/priorities/{id}',
      requests: range(1000).map((index) => {
        const body = { name: `Renamed ${index}`, description: 'How urgent it is now', isAiSelectable: index % 3 === 0 }
        return send(`PATCH /v2/priorities/priority-${index}`, user, JSON.stringify(body))
      }),
      target: 1,
    },
    {
      name: 'GET /v2/app-instances, 10,000',
      requests: [send(`GET /v2/app-instances?teamId=${place.team}`, key)],
      target: 2,
      maxStallMillis: 20,
    },
    {
      name: 'PUT /v2/app-resources/batch, 500',
      requests: range(8).map((batch) => {
        const resources = range(500).map((index) => entry(batch * 500 + index))
        return send('PUT /v2/app-resources/batch', key, JSON.stringify({ resources }))
      }),
      target: 0.9,
    },
  ]
}

/** Checks that both return the same JSON, so that the same work is compared. */
async function holdSameAnswer({ name, requests }: Operation, servers: readonly ServerProcess[]): Promise<void> {
  const [head = '', body = ''] = (requests[0] ?? '').split('\r\n\r\n')
  const [line = '', ...headerLines] = head.split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = headerLines
    .map((each) => each.split(': '))
    .filter(([header]) => !['host', 'content-length'].includes(header ?? ''))
  const answers = await Promise.all(
    servers.map(async ({ port }) => {
      const init = { method, headers: Object.fromEntries(headers), body: body === '' ? null : body }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
      return canonical(await answer.json())
    }),
  )
  if (answers[0] !== answers[1])
    throw new Error(`the answers to ${name} differ:\n${answers.map((text) => text.slice(0, 3000)).join('\n')}`)
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
