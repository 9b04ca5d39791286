import { fork } from 'node:child_process'
import { journeyId } from '../../harness/records.js'
import { reply } from '../../harness/reply.js'
import { readTogether } from './call.js'
import type { CrowdJob, CrowdResult } from './crowd.js'
import { probeWhile } from './probes.js'
import type { Stage } from './stage.js'
import { atLeast, atMost, type Finding, type Trial } from './trial.js'

const FEW = [32, 128]
const MANY = [512, 3_000]
const WARM_UP_MILLIS = 3_000
const MILLIS = 8_000
const GOODPUT = 0.8
const P99_MILLIS = 1_000
const PROBE_P99_MILLIS = 100

/** Far more callers than the service can serve at a time. They, the service and the database share this machine. */
export const overload: Trial = { name: 'overload', onEachDatabase: true, run }

async function run(stage: Stage): Promise<readonly Finding[]> {
  const service = await stage.serve({ environment: { LOG_LEVEL: 'error' } })
  await readTogether(service, stage, 100)
  const requests = [0, 1, 2, 3].map(
    (index) =>
      `GET /v2/journeys/${journeyId(index)} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${stage.tokens.key}\r\n\r\n`,
  )
  const meet = (connections: number) =>
    callTogether({ port: service.port, requests, connections, warmUpMillis: WARM_UP_MILLIS, millis: MILLIS })
  let best = 0
  for (const connections of FEW) best = Math.max(best, print(connections, await meet(connections)).goodPerSecond)
  const findings: Finding[] = []
  for (const connections of MANY) {
    const meeting = meet(connections)
    const [result, probes] = await Promise.all([meeting, probeWhile(service.origin, meeting)])
    const { goodPerSecond, p99Millis, failed } = print(connections, result)
    findings.push(
      atLeast(`${connections} connections: goodput over the best`, goodPerSecond / best, GOODPUT, ''),
      atMost(`${connections} connections: p99 of what is accepted`, p99Millis, P99_MILLIS, 'ms'),
      atMost(`${connections} connections: calls without an answer, or with another than 200 and 503`, failed, 0, ''),
      atMost(`${connections} connections: p99 of probes`, probes.p99Millis, PROBE_P99_MILLIS, 'ms'),
      atMost(`${connections} connections: probes that do not say ready`, probes.failed, 0, ''),
    )
  }
  return findings
}

async function callTogether(job: CrowdJob): Promise<CrowdResult> {
  const crowd = fork(new URL('./crowd.js', import.meta.url))
  try {
    crowd.send(job)
    const result = await reply(crowd)
    if (typeof result === 'object' && result !== null && 'error' in result) throw new Error(String(result.error))
    return result as CrowdResult
  } finally {
    crowd.kill()
  }
}

function print(connections: number, result: CrowdResult): CrowdResult {
  const { goodPerSecond, refusedPerSecond, p50Millis, p99Millis, refusedP99Millis } = result
  console.log(
    `  ${String(connections).padStart(5)} connections: ${goodPerSecond.toFixed(0)} good/s, p50 ${p50Millis.toFixed(0)} ms, ` +
      `p99 ${p99Millis.toFixed(0)} ms; ${refusedPerSecond.toFixed(0)} refused/s, p99 ${refusedP99Millis.toFixed(0)} ms`,
  )
  return result
}
