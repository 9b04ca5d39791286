import { create, toBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { UpdatePriorityRequestSchema } from '../gen/svc/v2/priority_pb.js'
import { startServer } from './child.js'
import { compare, type Rounds } from './compare.js'
import type { Job } from './load.js'
import type { Report } from './report.js'

const path = '/svc.v2.PriorityService/UpdatePriority'
const message = { id: 'priority-1', name: 'Renamed', description: 'How urgent it is now', isAiSelectable: true }
const binary = toBinary(UpdatePriorityRequestSchema, create(UpdatePriorityRequestSchema, message))

function http1(line: string, contentType: string, body: Uint8Array): string[] {
  const head = `${line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${contentType}\r\ncontent-length: ${body.length}`
  return [`${head}\r\n\r\n${Buffer.from(body).toString('latin1')}`]
}

interface Comparison {
  readonly name: string
  readonly variants: readonly string[]
  readonly requests: Job['requests']
  readonly http2?: boolean
  /** The least throughput of the last variant over that of the first. */
  readonly target?: number
}

const json = Buffer.from(JSON.stringify(message))
const comparisons: readonly Comparison[] = [
  {
    name: 'Connect JSON',
    variants: ['stock', 'bare', 'direct'],
    target: 3,
    requests: http1(`POST ${path}`, 'application/json', json),
  },
  {
    name: 'Connect binary',
    variants: ['stock', 'direct'],
    target: 3,
    requests: http1(`POST ${path}`, 'application/proto', binary),
  },
  {
    name: 'gRPC',
    variants: ['stock', 'direct'],
    http2: true,
    target: 1.5,
    requests: [
      {
        path,
        headers: { 'content-type': 'application/grpc+proto', te: 'trailers' },
        body: Buffer.from(encodeEnvelope(0, binary)).toString('base64'),
      },
    ],
  },
  {
    name: 'REST JSON',
    variants: ['bare', 'rest'],
    requests: http1('PATCH /v2/priorities/priority-1', 'application/json', Buffer.from('{"name":"Renamed"}')),
  },
]

/** The costs of the protocols: one method whose implementation costs nothing, over the stock handlers and ours. */
export async function benchProtocols(report: Report, rounds: Rounds, only?: string): Promise<void> {
  for (const { name, variants, requests, http2 = false, target } of comparisons) {
    if (only !== undefined && !name.includes(only)) continue
    const contestants = []
    for (const variant of variants) {
      contestants.push({ name: variant, server: await startServer('protocol', { variant, http2 }), requests })
    }
    const standings = await compare(contestants, rounds)
    for (const { server } of contestants) await server.stop()
    report.standings(`${name}, a method that costs nothing`, standings)
    const ours = standings.at(-1)
    if (ours !== undefined && target !== undefined) {
      report.atLeast(`${name}: throughput over that of connectNodeAdapter`, ours.ratio, target)
    }
  }
}
