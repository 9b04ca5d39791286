import { setTimeout as wait } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { RevokeLeakedKeyRequestSchema } from '../../gen/svc/v2/auth_pb.js'
import { type Exchange, isRefused, openConnection } from './connection.js'
import {
  anonymousTargets,
  type HttpVersion,
  type Protocol,
  protocols,
  type Request,
  requestThrough,
} from './protocols.js'
import type { ServiceRun, Stage } from './stage.js'
import { atLeast, atMost, type Finding, type Trial } from './trial.js'

/** In the short form: each takes a second of processor time to start. */
const FEW_PROCESSES = 2
const PROCESSES = 4
const CALLERS = 64
const LIMIT = 5
const SPAN_MILLIS = 60_000
/** How long a caller waits after an answer, at most. */
const PAUSE_MILLIS = 2_000

/** Clients, each with every way to write its address. */
const clients: readonly (readonly string[])[] = [
  ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107'],
  ['2001:db8:5:6::1', '2001:db8:5:6:7:8:9:a', '2001:DB8:5:6::', '2001:db8:5:6:ffff::2'],
]

/** A call that was accepted, on the clock of the caller. */
interface Accepted {
  readonly client: number
  readonly start: number
  readonly end: number
}

/** A crowd of one address revokes through every protocol of several processes. */
export const limit: Trial = {
  name: 'limit',
  onEachDatabase: true,
  amount: { of: 'minutes', full: 10, short: 0.02 },
  run,
}

async function run(stage: Stage, minutes: number): Promise<readonly Finding[]> {
  const environment = { TRUST_PROXY: '1' }
  const length = minutes < 1 ? FEW_PROCESSES : PROCESSES
  const runs = await Promise.all(Array.from({ length }, () => stage.serve({ environment })))
  const ways = protocols.flatMap((protocol) => protocol.versions.map((version) => ({ protocol, version })))
  const accepted: Accepted[] = []
  const tally = { refused: 0, others: 0 }
  const end = performance.now() + minutes * 60_000
  await Promise.all(
    Array.from({ length: CALLERS * clients.length }, async (_, caller) => {
      const way = ways[caller % ways.length]
      const service = runs[Math.floor(caller / ways.length) % runs.length]
      if (way === undefined || service === undefined) throw new Error('nowhere to call')
      await callOn(service, way, { caller, end, accepted, tally })
    }),
  )
  const findings = clients.map((_, client) => {
    const own = accepted.filter((call) => call.client === client)
    return [
      atMost(`client ${client + 1} at ${length} processes: accepted in any 60 s`, mostInSpan(own), LIMIT, ''),
      atLeast(`client ${client + 1}: accepted in all`, own.length, LIMIT * Math.max(1, Math.floor(minutes)), ''),
    ]
  })
  return [
    ...findings.flat(),
    atLeast('calls that are refused', tally.refused, CALLERS, ''),
    atMost('calls without a good answer or a refusal', tally.others, 0, ''),
  ]
}

interface Calling {
  readonly caller: number
  readonly end: number
  readonly accepted: Accepted[]
  readonly tally: { refused: number; others: number }
}

async function callOn(
  { port }: ServiceRun,
  { protocol, version }: { readonly protocol: Protocol; readonly version: HttpVersion },
  { caller, end, accepted, tally }: Calling,
): Promise<void> {
  const connection = openConnection(port, version)
  const client = caller % clients.length
  try {
    for (let turn = caller; performance.now() < end; turn++) {
      const start = performance.now()
      const exchange = await connection.send(revokeThrough(protocol, client, turn))
      if (isAccepted(exchange)) accepted.push({ client, start, end: performance.now() })
      else if (isRefused(exchange)) tally.refused++
      else tally.others++
      await wait(Math.min(PAUSE_MILLIS * Math.random(), Math.max(0, end - performance.now())))
    }
  } finally {
    connection.close()
  }
}

function isAccepted({ status, grpcStatus = 0 }: Exchange): boolean {
  return status === 200 && grpcStatus === 0
}

function revokeThrough(protocol: Protocol, client: number, turn: number): Request {
  const [, target] = anonymousTargets
  const addresses = clients[client] ?? []
  if (target === undefined) throw new Error('there is no revoke operation')
  const request = requestThrough(protocol, target, messageFor(protocol))
  const forwarded = { 'x-forwarded-for': addresses[turn % addresses.length] ?? '' }
  return {
    path: request.path,
    body: request.body,
    headers: { 'x-request-id': `limit-${turn}`, ...forwarded, ...request.headers },
  }
}

function messageFor({ isRest, form }: Protocol): Uint8Array {
  const secret = 'leaked'
  if (form === 'binary') return toBinary(RevokeLeakedKeyRequestSchema, create(RevokeLeakedKeyRequestSchema, { secret }))
  return Buffer.from(isRest ? `secret=${secret}` : JSON.stringify({ secret }))
}

/** The most that were certainly accepted within 60 s: the first began, and the last was answered, in such a span. */
function mostInSpan(calls: readonly Accepted[]): number {
  const sorted = calls.toSorted((one, other) => one.start - other.start)
  let most = 0
  for (const [first, { start }] of sorted.entries()) {
    const within = sorted.slice(first).filter((call) => call.end - start < SPAN_MILLIS)
    most = Math.max(most, within.length)
  }
  return most
}
