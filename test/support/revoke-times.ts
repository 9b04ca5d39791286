import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import type { Runtime } from '../../src/runtime/runtime.js'
import { fixture, insertApiKey, insertUserToken } from './fixture.js'
import type { Sql } from './sql.js'

/** The kinds of secret in a request. */
export const secretKinds = ['live', 'rotated', 'revoked', 'session', 'user token', 'unknown', 'malformed'] as const

/** Response times in milliseconds, by the kind of secret. */
export type RevokeTimes = Record<(typeof secretKinds)[number], number[]>

/** Where to send the requests, and where the keys go. */
export interface RevokeTimesOptions {
  /** A service that trusts one hop, with the fixture in its database. */
  readonly baseUrl: string
  readonly database: Sql
  readonly runtime: Runtime
  /** Requests of each kind. */
  readonly samples: number
}

/** Sends the requests of all kinds one by one, in random order, over one connection. */
export async function measureRevokeTimes(options: RevokeTimesOptions): Promise<RevokeTimes> {
  const { baseUrl, database, runtime, samples } = options
  const times: RevokeTimes = {
    live: [],
    rotated: [],
    revoked: [],
    session: [],
    'user token': [],
    unknown: [],
    malformed: [],
  }
  const plan = shuffled(secretKinds.flatMap((kind) => Array.from({ length: samples }, () => kind)))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { secret: revoked } = await insertApiKey(database, { organizationId: fixture.acme })
  await timeOf(baseUrl, agent, revoked, 0)
  const secretOf = {
    live: async () => (await insertApiKey(database, { organizationId: fixture.acme })).secret,
    rotated: () => insertChain(database),
    revoked: () => revoked,
    session: async () => (await insertApiKey(database, { organizationId: fixture.acme })).token,
    'user token': () => insertUserToken(database, { organizationId: fixture.acme, userId: fixture.users.viewer }),
    unknown: () => createApiKeySecret('pk', runtime),
    malformed: () => createApiKeySecret('pk', runtime).slice(0, -1).concat('-'),
  }
  // Made before any is timed: work just before a request wakes the processor for it.
  const requests: { kind: (typeof secretKinds)[number]; secret: string }[] = []
  for (const kind of plan) requests.push({ kind, secret: await secretOf[kind]() })
  for (const [index, { kind, secret }] of requests.entries()) {
    times[kind].push(await timeOf(baseUrl, agent, secret, index + 1))
  }
  agent.destroy()
  return times
}

/**
 * How well the times distinguish two kinds: the probability that one of the first is longer than one of the second
 * (ties count half), which is 0.5 if they reveal nothing.
 */
export function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  const sorted = second.toSorted((a, b) => a - b)
  let score = 0
  for (const time of first) {
    const below = sorted.filter((other) => other < time).length
    const upTo = sorted.filter((other) => other <= time).length
    score += (below + upTo) / 2
  }
  return score / (first.length * second.length)
}

/** Writes an active chain of three keys, and returns the secret of the middle one. */
async function insertChain(database: Sql): Promise<string> {
  const organizationId = fixture.acme
  const first = await insertApiKey(database, { organizationId })
  const middle = await insertApiKey(database, { organizationId })
  const last = await insertApiKey(database, { organizationId })
  await database.execute(
    `UPDATE api_keys SET chain_id = $2, rotation = place.rotation, previous_rotation = place.rotation - 1
       FROM (VALUES ($3, 1), ($4, 2)) AS place (id, rotation)
      WHERE organization_id = $1 AND api_keys.id = place.id`,
    [organizationId, first.id, middle.id, last.id],
  )
  return middle.secret
}

/** Each request comes from another address, so that the limit does not count. */
async function timeOf(baseUrl: string, agent: Agent, secret: string, client: number): Promise<number> {
  const body = new URLSearchParams({ secret }).toString()
  const start = performance.now()
  const sent = request(`${baseUrl}/v2/auth/revoke`, {
    method: 'POST',
    agent,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
      'x-forwarded-for': `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`,
    },
  })
  sent.end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  const time = performance.now() - start
  if (response.statusCode !== 200) throw new Error(`a revocation was answered with ${response.statusCode}`)
  return time
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: randomInt(2 ** 40) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
