import { createHash } from 'node:crypto'
import pg from 'pg'
import { seed, withDatabase } from '../harness/database.js'
import { operationsSize, place } from '../harness/records.js'
import type { Database } from '../src/db/database.js'
import { distribute } from '../src/db/distribute.js'
import { loadMigrations, migrate } from '../src/db/migrate.js'
import { selectKeysOfTokens, selectMembersOfTokens } from '../src/store/token-holder.js'
import { startServer } from './child.js'
import { compare, median, type Rounds } from './compare.js'
import { operations } from './operation-requests.js'
import type { Report } from './report.js'

/** Where the comparison runs: empty databases, one of them on the coordinator of a cluster. */
export interface ClusterUrls {
  readonly one: string
  readonly cluster: string
}

/** As many as the service has sessions: all nodes share one machine, on which more would only wait. */
const CONNECTIONS = 10

/** How often each look-up of a token is sent in a round. */
const LOOKUPS = 200

/**
 * Compares the operations on one PostgreSQL with those on a cluster, with many requests at a time and with one, and
 * measures the look-ups of tokens that precede each.
 */
export async function benchCluster(urls: ClusterUrls, report: Report, rounds: Rounds, only?: string): Promise<void> {
  const migrations = await loadMigrations()
  await migrate(urls.one, migrations)
  await migrate(urls.cluster, migrations)
  await distribute(urls.cluster, 32, () => {})
  const sides = await Promise.all(
    Object.entries(urls).map(async ([name, connectionString]: [string, string]) => {
      const isDistributed = name === 'cluster'
      const tokens = await seed(connectionString, operationsSize)
      if (isDistributed) await analyzeShards(connectionString)
      return {
        name,
        connectionString,
        tokens,
        server: await startServer('service', { connectionString, isDistributed }),
      }
    }),
  )
  try {
    for (const [index, { name }] of operations({ key: '', user: '' }).entries()) {
      if (only !== undefined && !name.includes(only)) continue
      const contestants = sides.map(({ tokens, ...side }) => {
        const requests = operations(tokens)[index]?.requests ?? []
        return { ...side, requests }
      })
      report.standings(name, await compare(contestants, { ...rounds, connections: CONNECTIONS }))
      report.standings(`${name}, one at a time`, await compare(contestants, { ...rounds, connections: 1 }))
    }
  } finally {
    await Promise.all(sides.map(({ server }) => server.stop()))
  }
  if (only !== undefined && !'token'.includes(only)) return
  for (const { name, connectionString, tokens } of sides) {
    await withDatabase(connectionString, (database) => benchLookups(name, database, tokens, report, rounds))
  }
}

async function benchLookups(
  name: string,
  database: Database,
  tokens: Readonly<Record<'key' | 'user', string>>,
  report: Report,
  { rounds }: Rounds,
): Promise<void> {
  const hashes = { key: hashOf(tokens.key), user: hashOf(tokens.user) }
  const ofOne = (hash: Uint8Array<ArrayBuffer>) => ({ organizationId: place.organization, tokenHashes: [hash] })
  const lookups: Readonly<Record<string, () => Promise<{ readonly length: number }>>> = {
    'of a key': () => selectKeysOfTokens(database, ofOne(hashes.key)),
    'of a person': () => selectMembersOfTokens(database, ofOne(hashes.user)),
  }
  for (const [kind, lookUp] of Object.entries(lookups)) {
    const found = await lookUp()
    if (found.length !== 1) throw new Error(`${found.length} rows for the token ${kind}`)
    const millis: number[] = []
    for (let round = 0; round < rounds; round++) {
      const begin = performance.now()
      for (let sent = 0; sent < LOOKUPS; sent++) await lookUp()
      millis.push((performance.now() - begin) / LOOKUPS)
    }
    report.note(`${name}: look-up of a token ${kind}, ms`, median(millis))
  }
}

function hashOf(token: string): Uint8Array<ArrayBuffer> {
  return createHash('sha256').update(token).digest()
}

/** `VACUUM ANALYZE` of a whole database stays on the coordinator. */
async function analyzeShards(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`SELECT run_command_on_workers('ANALYZE')`)
  } finally {
    await client.end()
  }
}
