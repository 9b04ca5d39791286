import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { CreateTokenRequestSchema } from '../../gen/svc/v2/auth_pb.js'
import { IngestUserProfilesRequestSchema } from '../../gen/svc/v2/user_ingestion_pb.js'
import { type HostileBody, hostileBinary, hostileJson } from '../support/hostile-bodies.js'
import { processorMillis } from '../support/processor-time.js'
import { callBeside } from './beside.js'
import { type Exchange, isRefused, openConnection } from './connection.js'
import { anonymousTargets, ingestion, type Protocol, protocols, type Request, requestThrough } from './protocols.js'
import type { ServiceRun, Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const MIB = 1024 * 1024
/** How long a body may occupy the service, for each MiB or part of one that arrives at once. */
const STALL_MILLIS_PER_MIB = 25
const P99_MILLIS = 250
const MEMORY_MIB = 400
/** The overhead of envelopes and tags. */
const SLACK_BYTES = 16
const BOMBS_AT_ONCE = 20
/** How long each kind is sent repeatedly. */
const WAVE_MILLIS = 4_000
/** Between two waves: the trial measures how long one delays others, not how much the machine can do. */
const PAUSE_MILLIS = 60
/** What the anonymous methods take. */
const SMALL_BYTES = 4_000
const QUIET_MILLIS = 2_000
/** The name of bodies that are large but valid. */
const IN_ORDER = /as many as are taken/
/** The names of JSON that is deep or wide, not only long. */
const DEEP_OR_WIDE = /of brackets|of braces|\[\] of|^keys$|unknown list|again and again/

/** Small anonymous bodies that are expensive to read, and large ones with a credential. */
export const flood: Trial = {
  name: 'flood',
  onEachDatabase: false,
  run: async (stage) => {
    const service = await stage.serve()
    await callBeside('nobody', service, stage, () => wait(QUIET_MILLIS))
    const findings: Finding[] = []
    for (const wave of waves(stage)) findings.push(...(await meet(wave, service, stage)))
    return [...findings, atMost('the most memory of the service', service.peakMemory() / MIB, MEMORY_MIB, 'MiB')]
  },
}

/** Requests of which this many are in flight at a time. */
interface Wave {
  readonly name: string
  readonly requests: readonly Request[]
  readonly atOnce: number
}

function* waves({ tokens }: Stage): Generator<Wave> {
  const [json, binary] = [bombs('['), bombs('\n')]
  for (const protocol of protocols) {
    const requests = bombRequests(protocol, protocol.form === 'json' ? json : binary)
    yield { name: `${BOMBS_AT_ONCE} bombs at once, ${protocol.name}`, requests, atOnce: BOMBS_AT_ONCE }
  }
  const small = hostileJson(CreateTokenRequestSchema, SMALL_BYTES).filter(isRefusedBody)
  const strangers = through('Connect JSON').flatMap((protocol) =>
    anonymousTargets.flatMap((target) => small.map(({ bytes }) => requestThrough(protocol, target, bytes))),
  )
  yield { name: '4 kB of JSON, Connect', requests: strangers, atOnce: BOMBS_AT_ONCE }
  const large = (bodies: readonly HostileBody[], name: string) =>
    through(name).flatMap((protocol) =>
      bodies
        .filter(isRefusedBody)
        .map(({ bytes }) => requestThrough(protocol, ingestion, bytes, { token: tokens.key })),
    )
  const wide = hostileJson(IngestUserProfilesRequestSchema, MIB).filter(({ name }) => DEEP_OR_WIDE.test(name))
  yield { name: '1 MiB of JSON, REST', requests: large(wide, 'REST'), atOnce: 1 }
  const nasty = hostileBinary(IngestUserProfilesRequestSchema, MIB)
  for (const name of ['Connect', 'gRPC']) {
    yield { name: `1 MiB of binary, ${name}`, requests: large(nasty, name), atOnce: 1 }
  }
}

/** 15 kB and 4 kB of gzip that decompress to a thousand times their size. */
function bombs(content: string): readonly Uint8Array[] {
  return [15 * MIB, 3.5 * MIB].map((length) => gzipSync(Buffer.alloc(length, content), { level: 9 }))
}

function bombRequests(protocol: Protocol, bodies: readonly Uint8Array[]): Request[] {
  return anonymousTargets.flatMap((target) =>
    bodies.map((body) => requestThrough(protocol, target, body, { isGzip: true })),
  )
}

function through(name: string): Protocol[] {
  return protocols.filter((protocol) => protocol.name === name)
}

function isRefusedBody({ name }: HostileBody): boolean {
  return !IN_ORDER.test(name)
}

async function meet(wave: Wave, service: ServiceRun, stage: Stage): Promise<Finding[]> {
  const { name, requests, atOnce } = wave
  let [exchanges, mostMillis]: [readonly Exchange[], number] = [[], 0]
  const { failed, p99Millis } = await callBeside(name, service, stage, async () => {
    ;({ exchanges, mostMillis } = await sendWave(wave, service))
  })
  const mebibytes = Math.ceil((atOnce * Math.max(...requests.map(({ body }) => body.length - SLACK_BYTES))) / MIB)
  const stall = STALL_MILLIS_PER_MIB * mebibytes
  return [
    allOf(`${name}: refused 4xx`, exchanges.filter(isRefused).length, exchanges.length),
    atMost(`${name}: processor time of ${atOnce}, best try of the worst`, mostMillis, stall, 'ms'),
    atMost(`${name}: p99 of a good caller beside them`, p99Millis, P99_MILLIS, 'ms'),
    atMost(`${name}: calls of it that fail`, failed, 0, ''),
  ]
}

/** A turn's processor time includes serving the good caller, so the best try of each counts. */
async function sendWave({ requests, atOnce }: Wave, { port, pid }: ServiceRun) {
  const connection = openConnection(port, 'HTTP/2')
  const exchanges: Exchange[] = []
  const least = new Map<number, number>()
  try {
    const end = performance.now() + WAVE_MILLIS
    for (let turn = 0; turn < requests.length || performance.now() < end; turn += atOnce) {
      const together = Array.from({ length: atOnce }, (_, index) => requests[(turn + index) % requests.length])
      const before = processorMillis(pid)
      const sent = together.flatMap((each) => (each === undefined ? [] : [connection.send(each)]))
      exchanges.push(...(await Promise.all(sent)))
      const first = turn % requests.length
      least.set(first, Math.min(least.get(first) ?? Number.POSITIVE_INFINITY, processorMillis(pid) - before))
      await wait(PAUSE_MILLIS)
    }
    return { exchanges, mostMillis: Math.max(...least.values()) }
  } finally {
    connection.close()
  }
}
