import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type CallResult, call, callJson } from '../../harness/call.js'
import { createLocalDatabase, dropDatabases, nodesOf } from '../../harness/database-server.js'
import { databaseUrl } from '../../harness/database-url.js'
import { quantile } from '../../harness/quantile.js'
import { createDatabase } from '../../src/db/database.js'
import { distribute } from '../../src/db/distribute.js'
import { insertApiKey, insertRow, insertUser, insertUserToken } from '../support/fixture.js'
import { type Database, withSql } from '../support/sql.js'
import { type ClusterWorker, openWorker } from './cluster-worker.js'
import type { ServiceRun, Stage } from './stage.js'
import { allOf, atLeast, atMost, type Finding, type Trial } from './trial.js'

const LOST_MILLIS = 20_000
/** How long the service may take to notice a silent worker. */
const NOTICED_MILLIS = 4_000
const AT_ONCE_MILLIS = 50
const CALLERS = 3
const SHARDS = 8
const BACK_MILLIS = 15_000

/** Of two organizations on a worker each, one loses its worker, which is killed. */
export const killWorker: Trial = {
  name: 'kill-worker',
  onEachDatabase: false,
  onlyIfNamed: true,
  run: (stage) =>
    onCluster(stage, async ({ run, healthy, lost, worker, refusals }) => {
      worker.kill()
      const outcome = await load(run, { healthy, lost })
      await worker.restart()
      return [
        allOf('worker killed: calls of the other worker that succeed', good(outcome.healthy), outcome.healthy.length),
        allOf('worker killed: its own calls that get 503 with Retry-After', refused(outcome.lost), outcome.lost.length),
        ...atOnce('worker killed', outcome.lost, refusals),
        await isBack(run, lost),
      ]
    }),
}

/** The same with a worker that falls silent: its processes are stopped. */
export const silenceWorker: Trial = {
  name: 'silence-worker',
  onEachDatabase: false,
  onlyIfNamed: true,
  run: (stage) =>
    onCluster(stage, async ({ run, healthy, lost, worker, refusals }) => {
      worker.silence()
      const noticedAt = Date.now() + NOTICED_MILLIS
      const outcome = await load(run, { healthy, lost })
      worker.heal()
      const late = outcome.lost.filter(({ at }) => at > NOTICED_MILLIS)
      const share = (100 * good(outcome.healthy)) / outcome.healthy.length
      const times = outcome.healthy.map(({ millis }) => millis)
      return [
        atLeast('worker silent: calls of the other worker that succeed', share, 90, '%'),
        atMost('worker silent: 99 of 100 of them within', quantile(times, 0.99), 1_000, 'ms'),
        allOf('worker silent: once noticed, its own calls that get 503 with Retry-After', refused(late), late.length),
        ...atOnce(
          'worker silent',
          late,
          refusals.filter(({ time }) => time > noticedAt),
        ),
        await isBack(run, lost),
      ]
    }),
}

/** An organization with what its calls need. */
interface Tenant {
  readonly id: string
  readonly admin: string
  readonly key: { readonly id: string; readonly secret: string; readonly token: string }
  /** The bearer token of its directory. */
  readonly directory: string
}

interface Scene {
  readonly run: ServiceRun
  readonly healthy: Tenant
  readonly lost: Tenant
  /** That of the second organization. */
  readonly worker: ClusterWorker
  /** The calls that were answered 503, according to the access log of the service. */
  readonly refusals: readonly LoggedCall[]
}

/** A line of the access log. */
interface LoggedCall {
  readonly msg: string
  readonly status: number
  /** When it was answered, in milliseconds since 1970. */
  readonly time: number
  /** From its header to its answer. */
  readonly durationMs: number
}

/** Plays on a database of the cluster of `CITUS_URL` with an organization on each of two workers. */
async function onCluster(
  stage: Stage,
  play: (scene: Scene) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const adminUrl = process.env['CITUS_URL'] ?? ''
  if (adminUrl === '') throw new Error('CITUS_URL must be the URL of a database on the coordinator of a cluster')
  const nodes = await nodesOf(adminUrl)
  const name = `svc_trial_${randomUUID().replaceAll('-', '')}`
  const connectionString = await createLocalDatabase(nodes, name)
  try {
    await distribute(connectionString, SHARDS, () => {})
    const database = withSql(createDatabase({ connectionString, isDistributed: true, log: { warn: () => {} } }))
    const tenants = await createTenants(database)
    await database.close()
    const [{ tenant: healthy }, { tenant: lost, worker: address }] = tenants
    const url = nodes.find((node) => node.includes(`@${address}/`) || node.includes(`//${address}/`)) ?? ''
    const worker = await openWorker(databaseUrl(url, 'postgres'))
    const refusals: LoggedCall[] = []
    const onLog = (line: string) => {
      const call = JSON.parse(line) as LoggedCall
      if (call.msg === 'request' && call.status === 503) refusals.push(call)
    }
    const run = await stage.serve({ connectionString, environment: { LOG_LEVEL: 'info' }, onLog })
    // So many at once, that every connection exists.
    const all = [healthy, lost].flatMap(callsOf)
    for (let round = 0; round < 2; round++) await Promise.all(all.map((send) => send(run)))
    try {
      return await play({ run, healthy, lost, worker, refusals })
    } finally {
      worker.heal()
      await run.kill()
    }
  } finally {
    await dropDatabases(nodes, [name])
  }
}

interface Placed {
  readonly worker: string
  readonly tenant: Tenant
}

async function createTenants(database: Database): Promise<readonly [Placed, Placed]> {
  const found = new Map<string, Tenant>()
  for (let n = 0; found.size < 2; n++) {
    const id = `tenant-${n}`
    const [row] = await database.query<{ worker: string }>(
      `SELECT nodename || ':' || nodeport AS worker FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
        WHERE shardid = get_shard_id_for_distribution_column('organizations', $1::text)`,
      [id],
    )
    const worker = row?.worker ?? ''
    if (!found.has(worker)) found.set(worker, await createTenant(database, id))
  }
  const [one, other] = [...found].map(([worker, tenant]) => ({ worker, tenant }))
  if (one === undefined || other === undefined) throw new Error('the cluster has one worker')
  return [one, other]
}

async function createTenant(database: Database, id: string): Promise<Tenant> {
  const owner = { organization_id: id, team_id: 'team' }
  await insertRow(database, 'organizations', { id, name: id })
  await insertRow(database, 'teams', { id: 'team', organization_id: id, name: 'Team' })
  const admin = `${id}-admin`
  await insertUser(database, { id: admin, organizationId: id, role: 'ORG_ADMIN' })
  await insertRow(database, 'priorities', { id: 'priority', ...owner, name: 'Urgent', priority: 1, scoped_id: 'pri_1' })
  await insertRow(database, 'app_instances', { id: 'app', ...owner, name: 'App' })
  const resource = { app_instance_id: 'app', resource_type: 'group', name: 'Group', scoped_id: 'ares_1' }
  await insertRow(database, 'app_resources', { id: 'resource', ...owner, ...resource })
  const key = await insertApiKey(database, { organizationId: id, id: `${randomUUID()}.${id}` })
  const directory = (await insertApiKey(database, { organizationId: id, kind: 'mk' })).secret
  return { id, key, directory, admin: await insertUserToken(database, { userId: admin, organizationId: id }) }
}

type Send = (run: ServiceRun) => Promise<CallResult>

function callsOf({ id, admin, key, directory }: Tenant): readonly Send[] {
  const basic = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`
  const form = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }
  const unique = () => randomUUID()
  return [
    (run) => callJson(run, '/v2/users', { token: key.token }),
    (run) => callJson(run, '/v2/priorities/priority', { token: key.token }),
    (run) => callJson(run, `/v2/users/${id}-admin`, { method: 'PUT', token: admin, json: { jobTitle: unique() } }),
    (run) => callJson(run, '/v2/priorities/priority', { method: 'PATCH', token: admin, json: { name: unique() } }),
    (run) => {
      const json = { resources: [{ id: 'resource', name: unique() }] }
      return callJson(run, '/v2/app-resources/batch', { method: 'PUT', token: key.token, json })
    },
    (run) => callJson(run, '/v2/users', { method: 'POST', token: key.token, json: { email: `${unique()}@a.example` } }),
    (run) => {
      const json = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: `${unique()}@b.example` }
      return callJson(run, '/scim/v2/Users', { method: 'POST', token: directory, json })
    },
    (run) => call(run, '/v2/auth/token', { method: 'POST', headers: form, body: 'grant_type=client_credentials' }),
  ]
}

type Answered = CallResult & { readonly at: number }

/** Callers of both organizations, for as long as one has lost its worker. */
async function load(
  run: ServiceRun,
  tenants: Readonly<Record<'healthy' | 'lost', Tenant>>,
): Promise<Readonly<Record<'healthy' | 'lost', readonly Answered[]>>> {
  const start = performance.now()
  const callAll = async (tenant: Tenant) => {
    const answers: Answered[] = []
    const one = async () => {
      while (performance.now() - start < LOST_MILLIS) {
        for (const send of callsOf(tenant)) {
          const at = performance.now() - start
          answers.push({ ...(await send(run)), at })
          await wait(20)
        }
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, one))
    const byStatus = new Map<number, number>()
    for (const { status } of answers) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    console.log(`  ${tenant.id}: ${[...byStatus].map(([status, count]) => `${count} × ${status}`).join(', ')}`)
    return answers
  }
  const [healthy, lost] = await Promise.all([callAll(tenants.healthy), callAll(tenants.lost)])
  return { healthy, lost }
}

/** How long refused calls take: for the callers, who share the processors with all nodes, and in the service. */
function atOnce(event: string, answers: readonly CallResult[], logged: readonly LoggedCall[]): Finding[] {
  const times = answers.map(({ millis }) => millis)
  const inside = logged.map(({ durationMs }) => durationMs)
  return [
    atMost(`${event}: 99 of 100 of them after`, quantile(times, 0.99), AT_ONCE_MILLIS, 'ms'),
    atMost(
      `${event}: the slowest of ${inside.length} by the access log after`,
      Math.max(...inside),
      AT_ONCE_MILLIS,
      'ms',
    ),
  ]
}

const refused = (answers: readonly CallResult[]) =>
  answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== null).length
const good = (answers: readonly CallResult[]) => answers.filter(({ status }) => status === 200 || status === 201).length

/** How long it takes until every call of the organization succeeds again. */
async function isBack(run: ServiceRun, tenant: Tenant): Promise<Finding> {
  const start = performance.now()
  const all = callsOf(tenant)
  for (let succeeded = 0; succeeded < all.length && performance.now() - start < 2 * BACK_MILLIS; ) {
    const answers = await Promise.all(all.map((send) => send(run)))
    succeeded = good(answers)
    await wait(100)
  }
  return atMost('worker back: all of its calls succeed after', performance.now() - start, BACK_MILLIS, 'ms')
}
