import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { CredentialKind } from '../../../gen/svc/v2/access_pb.js'
import { accessRuleOf } from '../../../src/limits/method-rules.js'
import type { RawRequest } from '../../rpc/raw-call.js'
import { methodNamed } from '../../support/method-forms.js'
import { areaUnderCurve } from '../../support/revoke-times.js'
import type { Caller } from '../tenants.js'
import type { Finding } from '../trial.js'
import { absentIdLike, requestThrough } from './answers.js'
import { foreignPlaces } from './foreign-ids.js'

/** How far from 0.5 the measure may be. */
const TOLERANCE = 0.05
/** Places that a short run measures. */
const FEW = 3
/** A run with fewer times of a kind is short. */
export const SHORT = 200

/** What is measured. */
export interface TimesPlan {
  readonly port: number
  readonly callers: readonly Caller[]
  /** Times of each kind. */
  readonly samples: number
}

/**
 * Whether the times distinguish ids of others from ids of nothing: the area under the curve, for each place, over REST,
 * for a caller who may call the method.
 */
export async function measureTimes({ port, callers, samples }: TimesPlan): Promise<Finding[]> {
  const rows = foreignPlaces.flatMap((place) => {
    const [caller, teamCaller] = callersOf(place.method)
    const ofTeam = place.otherTeam === undefined ? [] : [{ place, id: place.otherTeam, caller: teamCaller }]
    return [{ place, id: place.otherOrganization, caller }, ...ofTeam]
  })
  // With fewer times the measure of equal distributions lies further apart.
  const tolerance = Math.max(TOLERANCE, 2 / Math.sqrt(samples))
  const findings: Finding[] = []
  for (const { place, id, caller } of samples < SHORT ? rows.slice(0, FEW) : rows) {
    const token = callers.find(({ name }) => name === caller)?.token
    const requests = [id, absentIdLike(id)].map((each) =>
      requestThrough('REST', place.method, place.request(each), token),
    )
    const area = await areaOf(port, requests, samples)
    findings.push({
      promise: `times do not distinguish ${id} from nothing: ${place.name}, ${caller}`,
      measured: area.toFixed(3),
      kept: Math.abs(area - 0.5) <= tolerance,
    })
  }
  return findings
}

/** A caller of the organization and one of a team, keys where the method takes them. */
function callersOf(method: string): readonly [ofAll: string, ofTeam: string] {
  const kinds = accessRuleOf(methodNamed(method)).credentialKinds
  return [
    kinds.includes(CredentialKind.ORGANIZATION_API_KEY) ? 'pk of the organization' : 'admin',
    kinds.includes(CredentialKind.TEAM_API_KEY) ? 'pk of a team' : 'manager',
  ]
}

/** Sends two requests again and again over one connection, in an order drawn at random, and compares their times. */
async function areaOf(port: number, requests: readonly RawRequest[], samples: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[][] = requests.map(() => [])
  const warmUp = 20
  for (let round = -warmUp; round < samples; round++) {
    const first = randomInt(2)
    for (const kind of [first, 1 - first]) {
      const each = requests[kind]
      if (each === undefined) continue
      const time = await timeOf(port, agent, each)
      if (round >= 0) times[kind]?.push(time)
    }
  }
  agent.destroy()
  return areaUnderCurve(times[0] ?? [], times[1] ?? [])
}

async function timeOf(
  port: number,
  agent: Agent,
  { method = 'GET', path, headers, body }: RawRequest,
): Promise<number> {
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  const start = performance.now()
  const sent = request({ port, host: '127.0.0.1', agent, method, path, headers: { ...headers, ...length } })
  sent.end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return performance.now() - start
}
