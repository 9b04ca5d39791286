import fc from 'fast-check'
import { faultOf } from './check.js'
import type { Client } from './client.js'
import type { Credentials } from './headers.js'
import type { BadRequest, ProtocolName } from './protocol.js'
import { restRequests } from './rest.js'
import { rpcRequests } from './rpc.js'
import { scimRequests } from './scim.js'

/** What a run of bad requests has found. */
export interface FuzzResult {
  readonly sent: number
  /** Answers by their status. */
  readonly statuses: ReadonlyMap<number, number>
  /** The smallest request that was answered badly, with what is wrong and the seed that leads to it. */
  readonly fault: string | undefined
}

/** How a run goes. */
export interface FuzzPlan {
  readonly client: Client
  readonly credentials: Credentials
  readonly requests: number
  readonly seed: number
  /** Called now and then, to remove what would make the database grow. */
  readonly tidy: () => Promise<void>
}

/** How many requests are in flight at a time at most. */
const AT_ONCE = 32
const TIDY_EACH = 3_000
/** How long a check may take, with the search for the smallest request that is answered badly. */
const CHECK_MILLIS = 60_000
/** What the seed of a check is above that of the one before, more than callers count theirs by. */
const SEED_STEP = 1_000_000

/** The requests of a protocol. */
export function requestsThrough(protocol: ProtocolName, credentials: Credentials): fc.Arbitrary<BadRequest> {
  if (protocol === 'REST') return restRequests(credentials)
  return protocol === 'SCIM' ? scimRequests(credentials) : rpcRequests(protocol, credentials)
}

/** Sends bad requests through a protocol until so many are answered well, or one is not. */
export async function fuzz(protocol: ProtocolName, plan: FuzzPlan): Promise<FuzzResult> {
  const { client, credentials, seed, requests } = plan
  const statuses = new Map<number, number>()
  let sent = 0
  let tidied = 0
  const property = fc.asyncProperty(
    fc.array(requestsThrough(protocol, credentials), { minLength: 1, maxLength: AT_ONCE, size: 'max' }),
    async (batch) => {
      const faults = await Promise.all(
        batch.map(async (request) => {
          const answer = await client.send(request)
          sent++
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          return faultOf(request, answer)
        }),
      )
      const fault = faults.find((each) => each !== undefined)
      if (fault !== undefined) throw new Error(fault)
      if (sent - tidied > TIDY_EACH) {
        tidied = sent
        await plan.tidy()
      }
    },
  )
  // The sizes of batches are generated too, so that a check may send fewer than are wanted.
  for (let checkSeed = seed; sent < requests; checkSeed += SEED_STEP) {
    const numRuns = Math.ceil(((requests - sent) * 2) / AT_ONCE)
    const outcome = await fc.check(property, { seed: checkSeed, numRuns, interruptAfterTimeLimit: CHECK_MILLIS })
    if (!outcome.failed) continue
    const [smallest] = outcome.counterexample ?? []
    const text = `${String(outcome.errorInstance)}\nseed ${outcome.seed}, path ${outcome.counterexamplePath}`
    return { sent, statuses, fault: `${text}\n${(smallest ?? []).map(described).join('\n')}` }
  }
  return { sent, statuses, fault: undefined }
}

/** A request as a line that can be read. */
function described({ protocol, version, method, path, headers, body }: BadRequest): string {
  const bytes = body === undefined ? '' : JSON.stringify(Buffer.from(body.subarray(0, 600)).toString('latin1'))
  return `${protocol} ${version} ${method} ${path}\n  ${JSON.stringify(headers)}\n  ${bytes}`
}
