import { journeyId } from '../../harness/records.js'
import { type Connection, type Exchange, isRefused, openConnection } from './connection.js'
import {
  anonymousTargets,
  type HttpVersion,
  ingestion,
  type Protocol,
  protocols,
  type Request,
  requestThrough,
  unknownTarget,
} from './protocols.js'
import type { Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

/** More than the streams that an HTTP/2 connection may have at a time. */
const CALLS = 300
/** More than the window of an HTTP/2 stream, so that nothing ends by itself. */
const BODY_BYTES = 90_000
const AT_ONCE = 50
const CLOSED_MILLIS = 6_000

/** Refused calls with large bodies, hundreds of them on one connection. */
export const refuse: Trial = {
  name: 'refuse',
  onEachDatabase: false,
  run: async (stage) => {
    const { port } = await stage.serve()
    const findings: Finding[] = []
    for (const protocol of protocols) {
      for (const version of protocol.versions) findings.push(...(await refuseThrough(stage, port, protocol, version)))
    }
    return findings
  },
}

async function refuseThrough(stage: Stage, port: number, protocol: Protocol, version: HttpVersion): Promise<Finding[]> {
  const requests = refusedRequests(stage, protocol)
  const exchanges: Exchange[] = []
  let goesOn = 0
  for (const request of requests) {
    const connection = openConnection(port, version)
    try {
      exchanges.push(...(await sendMany(connection, request)))
      const path = `/v2/journeys/${journeyId(0)}`
      const next = await connection.send({ path, headers: { authorization: `Bearer ${stage.tokens.key}` } })
      if (next.status === 200) goesOn++
    } finally {
      connection.close()
    }
  }
  const name = `${protocol.name}, ${version}`
  const refused = exchanges.filter(isRefused)
  const slowest = Math.max(...exchanges.map(({ millis }) => millis))
  return [
    allOf(`${name}: calls with ${BODY_BYTES / 1000} kB are refused 4xx`, refused.length, requests.length * CALLS),
    atMost(`${name}: each is closed within`, slowest, CLOSED_MILLIS, 'ms'),
    allOf(`${name}: the next call on the connection is answered, after ${CALLS}`, goesOn, requests.length),
  ]
}

function refusedRequests({ tokens }: Stage, protocol: Protocol): Request[] {
  const body = Buffer.alloc(BODY_BYTES, protocol.form === 'json' ? '[' : 0xff)
  const { key } = tokens
  return [
    requestThrough(protocol, ingestion, body),
    requestThrough(protocol, ingestion, body, { token: `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` }),
    requestThrough(protocol, ingestion, body, { token: key }),
    ...anonymousTargets.map((target) => requestThrough(protocol, target, body)),
    requestThrough(protocol, unknownTarget, body),
    requestThrough(protocol, unknownTarget, body, { token: key }),
  ]
}

/** Sends the request repeatedly; gives up if a whole round of requests gets no answer. */
async function sendMany(connection: Connection, request: Request): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  while (exchanges.length < CALLS) {
    const turn = await Promise.all(Array.from({ length: AT_ONCE }, () => connection.send(request)))
    exchanges.push(...turn)
    if (turn.every(({ status }) => status === 0)) break
  }
  return exchanges
}
