import { type EmbeddedServer, seed, type Tokens, withDatabase } from '../harness/database.js'
import { type DatasetSize, journeyId, place } from '../harness/records.js'
import { startServer } from './child.js'
import { compare, type Rounds } from './compare.js'
import { FEW_TEAM, insertBulk, insertEvents } from './growth-seed.js'
import { requestText } from './operation-requests.js'
import type { Report } from './report.js'

const SMALL = 1_000
const base: DatasetSize = { appInstances: 100, appResources: 500, priorities: 100, journeys: 50, users: 20 }
const MAX_RATIO = 1.3

/** What each operation costs with this many rows in its table, relative to 1,000: by throughput, 8 at a time. */
export async function benchGrowth(
  server: EmbeddedServer,
  report: Report,
  rounds: Rounds,
  rows: number,
  only?: string,
): Promise<void> {
  const [small, large] = [await prepare(server, 'small', SMALL), await prepare(server, 'large', rows)]
  const services = {
    small: await startServer('service', { connectionString: small.connectionString }),
    large: await startServer('service', { connectionString: large.connectionString }),
  }
  try {
    for (const { name, requests } of operationsOf()) {
      if (only !== undefined && !name.includes(only)) continue
      const standings = await compare(
        [
          { name: `${rows} rows`, server: services.large, requests: requests(large.tokens) },
          { name: `${SMALL} rows`, server: services.small, requests: requests(small.tokens) },
        ],
        { ...rounds, connections: 8 },
      )
      report.standings(`${name}, by rows of its table`, standings)
      const ratio = standings[1]?.ratio ?? Number.NaN
      report.atMost(`${name}: cost at ${rows} rows over that at ${SMALL}`, ratio, MAX_RATIO)
    }
  } finally {
    await services.small.stop()
    await services.large.stop()
  }
}

async function prepare(server: EmbeddedServer, name: string, rows: number) {
  const connectionString = await server.createDatabase(`growth_${name}`)
  const tokens = await seed(connectionString, base)
  const url = new URL(connectionString)
  // Bulk rows refer to existing rows, which need not be looked up a million times.
  url.searchParams.set('options', '-c session_replication_role=replica')
  await withDatabase(url.href, (database) => insertBulk(database, rows), 600_000)
  await withDatabase(url.href, (database) => insertEvents(database, rows), 600_000)
  await withDatabase(connectionString, (database) => database.pool.query('VACUUM ANALYZE'), 600_000)
  return { connectionString, tokens }
}

interface GrowingOperation {
  readonly name: string
  readonly requests: (tokens: Tokens) => readonly string[]
}

function operationsOf(): GrowingOperation[] {
  const range = (count: number) => Array.from({ length: count }, (_, index) => index)
  const get = (name: string, paths: readonly string[], caller: 'key' | 'user' = 'key'): GrowingOperation => ({
    name: `GET ${name}`,
    requests: (tokens) => paths.map((path) => requestText(`GET ${path}`, { token: tokens[caller] })),
  })
  const write = (
    name: string,
    caller: 'key' | 'user',
    bodies: readonly (readonly [string, unknown])[],
  ): GrowingOperation => ({
    name,
    requests: (tokens) =>
      bodies.map(([path, json]) => requestText(`${name.split(' ')[0]} ${path}`, { token: tokens[caller], json })),
  })
  const resource = (index: number) => ({ id: `resource-${index}`, name: `Renamed ${index}`, description: 'Another' })
  return [
    get(
      '/v2/journeys/{id}',
      range(50).map((index) => `/v2/journeys/${journeyId(index)}`),
    ),
    get('/v2/journeys, page of 100', ['/v2/journeys?pageSize=100']),
    get('/v2/journeys that are not overdue, page of 100', ['/v2/journeys?isOverdue=false&pageSize=100']),
    get('/v2/app-instances, page of 100', [`/v2/app-instances?teamId=${place.team}&pageSize=100`]),
    get('/v2/app-instances of a team that has ten', [`/v2/app-instances?teamId=${FEW_TEAM}`]),
    get('/v2/entity-ingestion-configs', [`/v2/entity-ingestion-configs?teamId=${place.team}`]),
    get('/v2/entity-field-mappings', ['/v2/entity-field-mappings?entityTypeId=type-0']),
    get('/v2/teams/{team_id}/sla-definitions', [`/v2/teams/${place.team}/sla-definitions`]),
    get(
      '/v2/users/{id}',
      range(20).map((index) => `/v2/users/user-${index}`),
    ),
    get('/v2/users, page of 100', ['/v2/users?pageSize=100']),
    get('/v2/audit-events, page of 100', ['/v2/audit-events?pageSize=100']),
    write(
      'PATCH /v2/priorities/{id}',
      'user',
      range(100).map((index) => [`/v2/priorities/priority-${index}`, { name: `Renamed ${index}` }]),
    ),
    write(
      'PUT /v2/app-resources/batch, 50',
      'key',
      range(10).map((batch) => [
        '/v2/app-resources/batch',
        { resources: range(50).map((index) => resource(batch * 50 + index)) },
      ]),
    ),
    write(
      'PUT /v2/users/{id}',
      'key',
      range(20).map((index) => [`/v2/users/user-${index}`, { jobTitle: `Title ${index}` }]),
    ),
  ]
}
