import { callJson } from '../../harness/call.js'
import { place } from '../../harness/records.js'
import { insertUser, insertUserToken } from '../support/fixture.js'
import { type OutcomeCounts, type RaceGround, raceEmails, racePhones, racePins } from '../support/user-races.js'
import { withDatabase } from './database.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const CLAIMERS = 64
/** Rounds of pins for a round of claims. */
const PINS = 5
/** Callers of batches, and of managers, at a time. */
const TOGETHER = 16
/** How many resources there are to be in a batch, and how many are in one. */
const RESOURCES = 40
const BATCH = 20
/** People who are made each other's managers; few, so that chains cross. */
const PEOPLE = 8

/**
 * Many want the same: one phone number, one address, each other as managers, the same rows in batches whose orders
 * cross.
 */
export const winner: Trial = {
  name: 'winner',
  onEachDatabase: true,
  amount: { of: 'batches, a fiftieth of them rounds of claims', full: 10_000, short: 100 },
  run: async (stage, batches) => {
    // Callers come through two processes, because a process could keep its own in order.
    const runs = [await stage.serve(), await stage.serve()]
    const rounds = Math.ceil(batches / 50)
    return [
      ...(await claims(stage, runs, rounds)),
      ...(await managers(stage, runs, Math.ceil(batches / 10))),
      ...(await crossingBatches(stage, runs, batches)),
    ]
  },
}

function raceGroundOn({ tokens }: Stage, runs: readonly ServiceRun[]): RaceGround {
  let turn = 0
  return {
    keyToken: tokens.key,
    rest: async (method, path, { token = '', json }) => {
      const { status, text } = await callJson(turnOf(runs, turn++), path, { method, token, json })
      return { status, headers: new Headers(), text, json: text === '' ? {} : JSON.parse(text) }
    },
  }
}

function turnOf(runs: readonly ServiceRun[], turn: number): ServiceRun {
  const run = runs[turn % runs.length]
  if (run === undefined) throw new Error('there is no service')
  return run
}

async function claims(stage: Stage, runs: readonly ServiceRun[], rounds: number): Promise<readonly Finding[]> {
  const ground = raceGroundOn(stage, runs)
  const claimers = Array.from({ length: CLAIMERS }, (_, index) => `claimer-${index}`)
  const userToken = await withDatabase(stage.connectionString, async (database) => {
    const { organization: organizationId } = place
    for (const id of [...claimers, 'pinning']) await insertUser(database, { id, organizationId })
    return insertUserToken(database, { userId: 'pinning', organizationId })
  })
  const findings: Finding[] = []
  for (const [what, race] of [['phone', racePhones] as const, ['address', raceEmails] as const]) {
    const { winners, outcomes } = await race(ground, claimers, rounds)
    findings.push(
      allOf(`${CLAIMERS} want one ${what}: rounds with one winner`, winners.filter((won) => won === 1).length, rounds),
      atMost(`${CLAIMERS} want one ${what}: answers but 200 and already_exists`, others(outcomes), 0, ''),
    )
  }
  const pins = rounds * PINS
  const { lost, outcomes } = await racePins(ground, { userId: 'pinning', userToken }, pins)
  findings.push(
    allOf('a person writes beside a key and ingestion: pins that stand', pins - lost, pins),
    atMost('a person writes beside a key and ingestion: answers but 200', others(outcomes), 0, ''),
  )
  return findings
}

function others(outcomes: OutcomeCounts): number {
  const good = new Set(['200', '409 already_exists'])
  return Object.entries(outcomes).reduce((sum, [outcome, count]) => (good.has(outcome) ? sum : sum + count), 0)
}

/** People are made each other's managers, by relationships and by ingestion. */
async function managers(stage: Stage, runs: readonly ServiceRun[], writes: number): Promise<readonly Finding[]> {
  const user = (index: number) => `user-${index % PEOPLE}`
  const [refused, surprising] = [new Map<string, number>(), new Map<string, number>()]
  await together(writes, async (index) => {
    const [one, other] = [Math.floor(Math.random() * PEOPLE), Math.floor(Math.random() * PEOPLE)]
    const call = { method: 'POST', token: stage.tokens.key }
    const { status, text } =
      index % 3 === 0
        ? await callJson(turnOf(runs, index), '/v2/user-ingestion/profiles', {
            ...call,
            json: { source: `race-${index}`, profiles: [profileOf(one, other), profileOf(other, one)] },
          })
        : await callJson(turnOf(runs, index), '/v2/user-relationships', {
            ...call,
            json: {
              userId: user(one),
              relatedUserId: user(other),
              relationshipType: 'USER_RELATIONSHIP_TYPE_MANAGER',
            },
          })
    const isCycle = status === 400 && text.includes('failed_precondition')
    const counted = status === 200 || isCycle ? refused : surprising
    counted.set(`${status}`, (counted.get(`${status}`) ?? 0) + 1)
    if (status !== 200 && !isCycle) console.error(status, text)
  })
  const rows = await execute(
    stage.connectionString,
    `WITH RECURSIVE up AS (
       SELECT user_id AS start, manager_user_id AS at, 1 AS steps FROM memberships WHERE organization_id = '${place.organization}'
       UNION ALL
       SELECT up.start, m.manager_user_id, up.steps + 1 FROM up JOIN memberships m
           ON m.organization_id = '${place.organization}' AND m.user_id = up.at WHERE up.steps < 100)
     SELECT count(DISTINCT start)::int AS cycles FROM up WHERE at = start`,
  )
  return [
    atMost(
      `${PEOPLE} people are made each other's managers ${writes} times: people in a cycle`,
      Number(rows[0]?.['cycles']),
      0,
      '',
    ),
    atMost('managers: answers but 200 and failed_precondition', sum(surprising), 0, ''),
  ]
}

function profileOf(person: number, manager: number) {
  const [email, managerEmail] = [`user${person}@example.com`, `user${manager}@example.com`]
  return { externalId: `${person}-${Math.random()}`, email, managerEmail }
}

/** Batches of resources, and of profiles, whose rows are the same in other orders. */
async function crossingBatches(
  stage: Stage,
  runs: readonly ServiceRun[],
  batches: number,
): Promise<readonly Finding[]> {
  const statuses = new Map<string, number>()
  await together(batches, async (index) => {
    const isIngestion = index % 4 === 0
    const call = { method: isIngestion ? 'POST' : 'PUT', token: stage.tokens.key }
    const { status, text } = await callJson(
      turnOf(runs, index),
      isIngestion ? '/v2/user-ingestion/profiles' : '/v2/app-resources/batch',
      {
        ...call,
        json: isIngestion
          ? {
              source: `crossing-${index % TOGETHER}`,
              profiles: drawn(BATCH, BATCH).map((person) => ingested(person, index)),
            }
          : { resources: drawn(RESOURCES, BATCH).map((id) => ({ id: `resource-${id}`, name: `Batch ${index}` })) },
      },
    )
    statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1)
    if (status !== 200) console.error(status, text)
  })
  const [row] = await execute(
    stage.connectionString,
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  return [
    allOf(
      `batches of ${BATCH} of ${RESOURCES} rows in any order, ${TOGETHER} at a time: answered 200`,
      statuses.get('200') ?? 0,
      batches,
    ),
    atMost('batches: deadlocks that PostgreSQL has counted', Number(row?.['deadlocks']), 0, ''),
  ]
}

/** Numbers wander between people, so that batches claim what others give up. */
function ingested(person: number, index: number) {
  const email = `user${person}@example.com`
  const primaryPhone = `+1415555${String(1_000 + ((person + index) % BATCH)).padStart(4, '0')}`
  return { externalId: `crossing-${person}`, email, department: `Department ${index}`, primaryPhone }
}

/** Some of the first numbers, in any order. */
function drawn(from: number, count: number): number[] {
  return Array.from({ length: from }, (_, index) => ({ index, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ index }) => index)
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}

/** Calls so many times, some at a time. */
async function together(times: number, send: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    for (let index = next++; index < times; index = next++) await send(index)
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
}
