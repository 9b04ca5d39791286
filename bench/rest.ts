import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestTranscoder } from '../src/rest/index.js'
import { median } from './compare.js'
import { answering, resourceService } from './rest-service.js'

// Compares the transcoder with a bare node:http handler, both in this process, in turns; the load comes from another
// process. Run: npx tsc -p tsconfig.json --noEmit false && node dist/bench/rest.js. ROUNDS and ROUND_MS set how long it
// takes.

const ROUNDS = Number(process.env['ROUNDS'] ?? 9)
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 700)
const CONNECTIONS = 32

interface Case {
  readonly name: string
  readonly handler: RequestListener
  readonly request: string
  /** The least share of the bare handler's throughput. */
  readonly target?: number
}

const answer = { id: 'abc123', name: 'A name', rank: 7, enabled: true, tagIds: ['x', 'y'] }

function transcoder(routes: number): RequestListener {
  const get = (value: string) => ({ pattern: { case: 'get', value } as const })
  const rules = {
    Get: get('/v1/items/{id}'),
    Search: get('/v1/items'),
    Create: { pattern: { case: 'post', value: '/v1/items' } as const, body: '*' },
    ...Object.fromEntries(
      Array.from({ length: routes - 3 }, (_, index) => [`Other${index}`, get(`/v1/others${index}/{id}/parts`)]),
    ),
  }
  return createRestTranscoder({ routes: answering(resourceService(rules), answer) })
}

const bare: RequestListener = (request, response) => {
  const id = request.url?.slice('/v1/items/'.length)
  const body = JSON.stringify({ ...answer, id })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

const bareBody: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const body = JSON.stringify({ ...answer, id })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n`
const json = '{"id":"abc123","rank":7,"leaf":{"name":"a","count":2},"tagIds":["x","y"],"enabled":true}'
const post = `POST /v1/items HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`
const query =
  'enabled=true&rank=5&revision=123456789012&color=COLOR_RED&note=hello&leaf.name=a%20b&weight=1.5&teamId=t&tagIds=x&tagIds=y'

const small = transcoder(10)
const large = transcoder(500)
const cases: readonly Case[] = [
  { name: 'bare handler, GET', handler: bare, request: get('/v1/items/abc123') },
  { name: 'GET, one path variable, 10 routes', handler: small, request: get('/v1/items/abc123'), target: 0.6 },
  { name: 'GET, one path variable, 500 routes', handler: large, request: get('/v1/items/abc123'), target: 0.6 },
  { name: 'GET, ten query values', handler: small, request: get(`/v1/items?${query}`), target: 0.45 },
  { name: 'bare handler, POST', handler: bareBody, request: post },
  { name: 'POST, JSON body', handler: small, request: post },
]

async function measure(client: ChildProcess, port: number, request: string, milliseconds: number): Promise<number> {
  client.send({ port, request, connections: CONNECTIONS, milliseconds })
  const [requests] = await once(client, 'message')
  return (requests / milliseconds) * 1000
}

const client = fork(new URL('./rest-client.js', import.meta.url))
const servers = await Promise.all(
  cases.map(async (each) => {
    const server = createServer(each.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }),
)
const ports = servers.map((server) => (server.address() as AddressInfo).port)
const rates: number[][] = cases.map(() => [])
for (let round = -1; round < ROUNDS; round++) {
  for (const [index, each] of cases.entries()) {
    const rate = await measure(client, ports[index] ?? 0, each.request, ROUND_MS)
    // The first round warms up.
    if (round >= 0) rates[index]?.push(rate)
  }
}
let baseline = Number.NaN
let failed = false
for (const [index, each] of cases.entries()) {
  const rate = median(rates[index] ?? [])
  if (each.name.startsWith('bare')) baseline = rate
  const share = rate / baseline
  const missed = each.target !== undefined && share < each.target
  failed ||= missed
  const goal = each.target === undefined ? '' : `  (at least ${each.target}${missed ? ', MISSED' : ''})`
  console.log(
    `${each.name.padEnd(36)} ${Math.round(rate).toString().padStart(7)} requests/s  ${share.toFixed(2)}${goal}`,
  )
}
client.disconnect()
for (const server of servers) server.close().closeAllConnections()
process.exitCode = failed ? 1 : 0
