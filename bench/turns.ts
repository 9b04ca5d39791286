import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import type { EmbeddedServer, Tokens } from '../harness/database.js'
import { runProgram } from '../harness/programs.js'
import { operationsSize, place, recordLines } from '../harness/records.js'
import { createApiKeySecret } from '../src/domain/auth/api-key-secret.js'
import { packageRoot } from '../src/package.js'
import type { ServerProcess } from './child.js'
import { compare, type Rounds, ratioOf } from './compare.js'
import { type Operation, operations, otherOperations, requestText } from './operation-requests.js'
import type { Report } from './report.js'
import { SERIAL } from './serial.js'

/** An operation, and the least share of the throughput before that it must have. */
interface KeptOperation extends Operation {
  readonly target: number
}

/** The program of one checkout on a database of its own. */
interface Side {
  readonly name: string
  readonly server: ServerProcess
  readonly operations: readonly KeptOperation[]
}

/**
 * Compares this build with that of the checkout in the folder `before`, in turns, each on a database that it has
 * migrated and seeded itself. Uses both by their commands and the API alone, because everything else may differ.
 */
export async function benchTurns(
  server: EmbeddedServer,
  report: Report,
  rounds: Rounds,
  before: string,
  only?: string,
): Promise<void> {
  const sides: Side[] = []
  try {
    sides.push(await start('before', before, server))
    sides.push(await start('now', packageRoot(), server))
    const [, current] = sides
    for (const [index, { name, connections, target }] of (current?.operations ?? []).entries()) {
      if (only !== undefined && !name.includes(only)) continue
      const contestants = sides.map((side) => ({ ...side, requests: side.operations[index]?.requests ?? [] }))
      const standings = await compare(contestants, { ...rounds, connections, database: server })
      report.standings(name, standings)
      const [wasBefore, isNow] = standings
      if (wasBefore === undefined || isNow === undefined) throw new Error('a side is missing')
      report.ratioAtLeast(
        `${name}: throughput over that before`,
        ratioOf('requestsPerSecond', isNow, wasBefore),
        target,
      )
      report.noteRatio(`${name}: processor time over that before`, ratioOf('cpuMicrosPerRequest', isNow, wasBefore))
      const both = ratioOf('allCpuMicrosPerRequest', isNow, wasBefore)
      report.noteRatio(`${name}: processor time with that of PostgreSQL over that before`, both)
      report.noteRatio(`${name}: WAL over that before`, ratioOf('walBytesPerRequest', isNow, wasBefore))
    }
  } finally {
    for (const side of sides) await side.server.stop()
  }
}

async function start(name: string, root: string, { createEmptyDatabase }: EmbeddedServer): Promise<Side> {
  const url = await createEmptyDatabase(`turns_${name}`)
  const environment = { DATABASE_URL: url }
  const command = (...args: string[]) => runProgram(args, environment, root).ended()
  await command('migrate')
  await importInto(command)
  await analyze(url)
  const org = ['--org', place.organization, '--json']
  const { id, secret } = JSON.parse(await command('keys', 'create', ...org))
  const directory = JSON.parse(await command('keys', 'create', '--kind', 'mk', ...org))
  const { token: user } = JSON.parse(await command('tokens', 'create', '--user', 'user-0', ...org))
  const { server, origin } = await serve(environment, root)
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
  const answer = await fetch(`${origin}/v2/auth/token`, { method: 'POST', body: form })
  const { access_token: key } = JSON.parse(await answer.text())
  const tokens = { key, user, leaked: [], unknown: createApiKeySecret('pk', { randomBytes }) }
  return { name, server, operations: keptOperations(tokens, directory.secret) }
}

async function importInto(command: (...args: string[]) => Promise<string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  try {
    const file = join(folder, 'records.ndjson')
    await pipeline(Readable.from(recordLines(operationsSize)), createWriteStream(file))
    await command('import', file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function analyze(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
}

async function serve(environment: Readonly<Record<string, string>>, root: string) {
  // Each request to revoke a key comes from another address.
  const run = runProgram(['serve', '--no-demo'], { ...environment, PORT: '0', TRUST_PROXY: '1' }, root)
  const origin = /http\S+/.exec(await run.line('svc listens on'))?.[0] ?? ''
  let counted = run.cpuMicros()
  const server: ServerProcess = {
    port: Number(new URL(origin).port),
    usage: async () => {
      const before = counted
      counted = run.cpuMicros()
      return { cpuMicros: counted - before, stallMillis: Number.NaN, rssBytes: run.memory().now }
    },
    stop: async () => {
      const exit = once(run.process, 'exit')
      run.process.kill('SIGTERM')
      await exit
    },
  }
  return { server, origin }
}

/**
 * The least shares of the throughput before: for calls that every caller makes, for writes, for SCIM, and for others.
 */
const HOT = 0.93
const WRITE = 0.55
const OTHER = 0.7
const SCIM = 0.6

function keptOperations(tokens: Tokens, directory: string): KeptOperation[] {
  const { key: token } = tokens
  const targetOf = ({ name }: Operation) => (name.startsWith('GET ') ? OTHER : WRITE)
  return [
    {
      name: 'token look-up: the configs of a team without any',
      requests: [requestText(`GET /v2/entity-ingestion-configs?teamId=${place.otherTeam}`, { token })],
      target: HOT,
    },
    {
      name: 'GET /v2/users/{id}',
      requests: Array.from({ length: 100 }, (_, index) => requestText(`GET /v2/users/user-${index}`, { token })),
      target: HOT,
    },
    ...operations(tokens).map((operation) => ({ ...operation, target: HOT })),
    ...otherOperations(tokens).map((operation) => ({ ...operation, target: targetOf(operation) })),
    {
      name: 'POST /v2/entity-types',
      requests: [requestText('POST /v2/entity-types', { token, json: { teamId: place.team, name: `Type ${SERIAL}` } })],
      target: WRITE,
    },
    {
      name: 'PATCH /v2/access-policies/{id}',
      requests: Array.from({ length: 10 }, (_, index) =>
        requestText(`PATCH /v2/access-policies/policy-${index}`, { token, json: { name: `Policy ${SERIAL}` } }),
      ),
      target: WRITE,
    },
    {
      name: 'POST /scim/v2/Users',
      requests: [requestText('POST /scim/v2/Users', { token: directory, json: scimUser() })],
      connections: 8,
      target: SCIM,
    },
    {
      name: 'PATCH /scim/v2/Users/{id}',
      requests: Array.from({ length: 500 }, (_, index) =>
        requestText(`PATCH /scim/v2/Users/user-${100 + index}`, { token: directory, json: scimPatch() }),
      ),
      connections: 8,
      target: SCIM,
    },
    {
      name: 'GET /v2/users, 100',
      requests: [requestText('GET /v2/users?pageSize=100', { token })],
      target: HOT,
    },
    {
      name: 'GET /v2/audit-events?targetId',
      requests: [requestText('GET /v2/audit-events?targetId=user-1&pageSize=20', { token })],
      target: HOT,
    },
    {
      name: 'POST /v2/user-ingestion/profiles, 1,000',
      requests: [requestText('POST /v2/user-ingestion/profiles', { token, json: profiles() })],
      connections: 1,
      target: OTHER,
    },
  ]
}

function scimUser() {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `scim-${SERIAL}@example.com`,
    externalId: SERIAL,
    name: { givenName: 'Ada', familyName: `Number ${SERIAL}` },
    title: 'Analyst',
    locale: 'en-GB',
    timezone: 'Europe/London',
    active: true,
  }
}

function scimPatch() {
  const Operations = [{ op: 'replace', path: 'title', value: `Title ${SERIAL}` }]
  return { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }
}

/** Profiles whose titles are new in each request. */
function profiles() {
  const profile = (index: number) => ({
    externalId: `ingested-${index}`,
    email: `ingested-${index}@example.com`,
    firstName: 'Grace',
    lastName: `Number ${index}`,
    jobTitle: `Title ${SERIAL}`,
    department: `Department ${index % 40}`,
    locale: 'en-GB',
  })
  return { source: 'bench', profiles: Array.from({ length: 1_000 }, (_, index) => profile(index)) }
}
