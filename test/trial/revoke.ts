import { setTimeout as wait } from 'node:timers/promises'
import { call } from '../../harness/call.js'
import { place } from '../../harness/records.js'
import { createApiKey, type KeyTools } from '../../src/domain/auth/api-key.js'
import { rotateApiKey } from '../../src/domain/auth/api-key-rotation.js'
import { revokeKeyById } from '../../src/domain/auth/revocation.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { ServiceError } from '../../src/errors.js'
import { systemRuntime } from '../../src/runtime/runtime.js'
import type { Database } from '../support/sql.js'
import { withDatabase } from './database.js'
import type { ServiceRun } from './stage.js'
import { atLeast, atMost, type Finding, type Trial } from './trial.js'

/** In the short form: each takes a second of processor time to start. */
const FEW_PROCESSES = 2
const PROCESSES = 4
const CALLERS = 8
/** How long everybody calls before the revocation, at most, and after it. */
const BEFORE_MILLIS = 120
const AFTER_MILLIS = 60
const OVERLAP_SECONDS = 3_600

/** Keys are revoked at one process while their tokens are used, requested and the keys rotated at all others. */
export const revoke: Trial = {
  name: 'revoke',
  onEachDatabase: true,
  amount: { of: 'keys', full: 300, short: 5 },
  run: async (stage, keys) => {
    const environment = { TRUST_PROXY: '1' }
    const length = keys < 100 ? FEW_PROCESSES : PROCESSES
    const runs = await Promise.all(Array.from({ length }, () => stage.serve({ environment })))
    const tally = { before: 0, after: 0, late: 0, alive: 0, rotated: 0, failed: 0 }
    await withDatabase(stage.connectionString, async (database) => {
      for (let round = 0; round < keys; round++) await revokeOne(runs, database, round, tally)
    })
    return findingsOf(tally)
  },
}

interface Tally {
  /** Accepted calls that began before the revocation was answered. */
  before: number
  /** Calls that began after it. */
  after: number
  /** Of them, those that were accepted. */
  late: number
  /** Tokens and secrets that a process accepts in the end. */
  alive: number
  rotated: number
  /** Revocations that did not succeed. */
  failed: number
}

function findingsOf({ before, after, late, alive, rotated, failed }: Tally): readonly Finding[] {
  return [
    atLeast('calls that are accepted before the revocation', before, 1, ''),
    atLeast('keys that are rotated meanwhile', rotated, 1, ''),
    atMost('revocations that fail', failed, 0, ''),
    atLeast('calls that begin after its 200', after, 1, ''),
    atMost('of them accepted, by any process', late, 0, ''),
    atMost('tokens and secrets of the chain that any process accepts in the end', alive, 0, ''),
  ]
}

/** A key and everything that came from it. */
interface Chain {
  readonly isDirectory: boolean
  readonly keys: { readonly id: string; readonly secret: string }[]
  readonly tokens: string[]
}

async function revokeOne(runs: readonly ServiceRun[], database: Database, round: number, tally: Tally): Promise<void> {
  const isDirectory = round % 4 === 3
  const options = { database, hasher: createSecretHasher(), runtime: systemRuntime }
  const kind = isDirectory ? 'mk' : round % 2 === 0 ? 'pk' : 'wk'
  const key = await createApiKey(options, { organizationId: place.organization, kind })
  const chain: Chain = { isDirectory, keys: [key], tokens: [] }
  if (!isDirectory) await request(drawn(runs), chain)
  let revokedAt = Number.POSITIVE_INFINITY
  let isOver = false
  const attempt = async (use: () => Promise<boolean>) => {
    while (!isOver) {
      const isAfter = performance.now() > revokedAt
      const isAccepted = await use()
      if (isAfter) tally.after++
      else if (isAccepted) tally.before++
      if (isAfter && isAccepted) tally.late++
    }
  }
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    attempt(() => (index < 2 && !isDirectory ? request(drawn(runs), chain) : isCallAccepted(drawn(runs), chain))),
  )
  const rotating = rotateSoon(options, chain, tally)
  // One at least is rotated before: of a few keys, chance may leave none.
  await (round === 0 ? rotating : wait(BEFORE_MILLIS * Math.random()))
  if (!(await revokeKey(drawn(runs), database, chain, round))) tally.failed++
  revokedAt = performance.now()
  await wait(AFTER_MILLIS)
  isOver = true
  await Promise.all([...callers, rotating])
  tally.alive += await countAlive(runs, chain)
}

async function rotateSoon(options: KeyTools & { database: Database }, chain: Chain, tally: Tally): Promise<void> {
  await wait(BEFORE_MILLIS * Math.random())
  try {
    chain.keys.push(await rotateApiKey(options, { id: chain.keys[0]?.id ?? '', overlapSeconds: OVERLAP_SECONDS }))
    tally.rotated++
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

/** Requests a token with one of the secrets; whether there was one. */
async function request(run: ServiceRun, { keys, tokens }: Chain): Promise<boolean> {
  const { id, secret } = drawn(keys)
  const headers = {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const { status, text } = await call(run, '/v2/auth/token', {
    method: 'POST',
    headers,
    body: 'grant_type=client_credentials',
  })
  if (status !== 200) return false
  tokens.push(JSON.parse(text).access_token)
  return true
}

async function isCallAccepted(run: ServiceRun, chain: Chain, token?: string): Promise<boolean> {
  const { isDirectory, keys, tokens } = chain
  const credential = token ?? (isDirectory ? drawn(keys).secret : drawn(tokens))
  const path = isDirectory ? '/scim/v2/ServiceProviderConfig' : '/v2/app-instances?pageSize=1'
  return (await call(run, path, { headers: { authorization: `Bearer ${credential}` } })).status === 200
}

/** Reports one of the secrets, over REST or Connect, or revokes the chain as operators do. */
async function revokeKey(run: ServiceRun, database: Database, { keys }: Chain, round: number): Promise<boolean> {
  const [{ id, secret } = { id: '', secret: '' }] = keys
  if (round % 5 === 4)
    return Array.isArray(await revokeKeyById({ database, runtime: systemRuntime }, id, { chain: true }))
  // Each report comes from a different address, because one address can send five per minute.
  const from = { 'x-forwarded-for': `10.${round >> 16}.${(round >> 8) & 255}.${round & 255}` }
  const isRest = round % 2 === 0
  const { status } = await call(run, isRest ? '/v2/auth/revoke' : '/svc.v2.AuthService/RevokeLeakedKey', {
    method: 'POST',
    headers: { 'content-type': isRest ? 'application/x-www-form-urlencoded' : 'application/json', ...from },
    body: isRest ? `secret=${secret}` : JSON.stringify({ secret }),
  })
  return status === 200
}

/** How many of the tokens and secrets some process accepts. */
async function countAlive(runs: readonly ServiceRun[], chain: Chain): Promise<number> {
  let alive = 0
  for (const run of runs) {
    for (const token of chain.isDirectory ? chain.keys.map(({ secret }) => secret) : chain.tokens.slice(-4)) {
      if (await isCallAccepted(run, chain, token)) alive++
    }
    if (!chain.isDirectory) {
      for (const key of chain.keys) if (await request(run, { ...chain, keys: [key], tokens: [] })) alive++
    }
  }
  return alive
}

function drawn<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)]
  if (value === undefined) throw new Error('there is nothing to choose from')
  return value
}
