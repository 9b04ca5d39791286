import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { systemTiming } from '../../src/db/retries.js'
import { createApiKey } from '../../src/domain/auth/api-key.js'
import { rotateApiKey } from '../../src/domain/auth/api-key-rotation.js'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { orUnavailable, revokeKeyById, revokeLeakedKey } from '../../src/domain/auth/revocation.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { ServiceError } from '../../src/errors.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import { watchSentQueries } from '../support/sent-queries.js'
import type { Database } from '../support/sql.js'

const { acme, users } = fixture
const plain = createSecretHasher()
const runtime = createTestRuntime()

describe('a revocation', () => {
  let testDatabase: TestDatabase
  let database: Database
  let queries: ReturnType<typeof watchSentQueries>

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    queries = watchSentQueries(database)
  })
  afterAll(() => testDatabase.drop())

  /** Reports a leak; returns how many keys it ended, and what was hashed. */
  const leak = async (secret: string) => {
    const seen = { ended: [] as number[], hashed: [] as string[] }
    const hasher = {
      hash: plain.hash,
      candidates: (text: string) => {
        seen.hashed.push(text)
        return plain.candidates(text)
      },
    }
    const options = { database, hasher, runtime, timing: systemTiming }
    seen.ended.push(await revokeLeakedKey(options, secret, 'leak-report'))
    return seen
  }
  /** Keys of a chain, oldest first. */
  const chainOf = async (length: number) => {
    const options = { database, runtime, hasher: plain }
    const keys = [await createApiKey(options, { organizationId: acme })]
    while (keys.length < length) {
      keys.push(await rotateApiKey(options, { id: keys.at(-1)?.id ?? '', overlapSeconds: 3600 }))
    }
    return keys
  }
  const eventsOf = (action: string, targetId: string) =>
    database.query('SELECT actor_kind, request_id FROM audit_events WHERE target_id = $1 AND action = $2', [
      targetId,
      action,
    ])
  const stateOf = (...keys: readonly { id: string }[]) =>
    Promise.all(
      keys.map(async ({ id }) => {
        const [row] = await database.query<{ revoked_by: string | null; sessions: number }>(
          `SELECT revoked_by, (SELECT count(*)::int FROM api_key_sessions WHERE api_key_id = $1) AS sessions
             FROM api_keys WHERE id = $1`,
          [id],
        )
        return { ...row, events: await eventsOf('api_key.revoke', id) }
      }),
    )
  const live = { revoked_by: null, sessions: 0, events: [] }
  const reported = {
    ...live,
    revoked_by: 'LEAK_REPORT',
    events: [{ actor_kind: 'ANONYMOUS', request_id: 'leak-report' }],
  }
  const byOperator = { ...live, revoked_by: 'OPERATOR', events: [{ actor_kind: 'SYSTEM', request_id: '' }] }

  it('of a leaked key ends it with its sessions, once', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    expect(await stateOf(key)).toEqual([{ ...live, sessions: 1 }])
    expect(await leak(key.secret)).toEqual({ ended: [1], hashed: [key.secret] })
    expect(await stateOf(key)).toEqual([reported])
    expect(await leak(key.secret)).toMatchObject({ ended: [0] })
    expect(await stateOf(key)).toEqual([reported])
  })

  it('of a leaked key ends the whole chain, even if that key was already revoked', async () => {
    const [first, second, third] = await chainOf(3)
    const untouched = await insertApiKey(database, { organizationId: acme })
    expect(await leak(second?.secret ?? '')).toMatchObject({ ended: [3] })
    expect(await stateOf(...[first, second, third].flatMap((key) => key ?? []))).toEqual([reported, reported, reported])
    expect(await stateOf(untouched)).toEqual([{ ...live, sessions: 1 }])

    const [old, young] = await chainOf(2)
    await revokeKeyById({ database, runtime }, old?.id ?? '')
    expect(await leak(old?.secret ?? '')).toMatchObject({ ended: [1] })
    expect(await stateOf(...[old, young].flatMap((key) => key ?? []))).toEqual([byOperator, reported])
  })

  it("of a text that is not a key's secret ends nothing, and hashes only texts of that form", async () => {
    const unknown = createApiKeySecret('pk', runtime)
    expect(await leak(unknown)).toMatchObject({ ended: [0], hashed: [unknown] })
    for (const text of [
      '',
      ' " ',
      'x',
      'hunter2',
      unknown.slice(0, -1),
      `${unknown.slice(0, -1)}-x`,
      `${unknown.slice(0, 20)} ${unknown.slice(20)}`,
    ])
      expect(await leak(text)).toMatchObject({ ended: [0], hashed: [''] })
  })

  it('of a key that was rotated without an overlap ends nothing: its operator has dealt with the leak', async () => {
    const options = { database, runtime, hasher: plain }
    const old = await createApiKey(options, { organizationId: acme })
    const young = await rotateApiKey(options, { id: old.id, overlapSeconds: 0 })
    expect(await leak(old.secret)).toMatchObject({ ended: [0], hashed: [old.secret] })
    expect(await stateOf(young)).toEqual([live])
    expect(await leak(young.secret)).toMatchObject({ ended: [1] })
  })

  it('of an access token ends that token, and not its key', async () => {
    const [key, other] = [
      await insertApiKey(database, { organizationId: acme }),
      await insertApiKey(database, { organizationId: acme }),
    ]
    expect(await leak(key.token)).toMatchObject({ ended: [0], hashed: [key.token] })
    expect(await stateOf(key, other)).toEqual([live, { ...live, sessions: 1 }])
    expect(await eventsOf('access_token.revoke', key.id)).toEqual(reported.events)
    expect(await leak(key.token)).toMatchObject({ ended: [0] })
    expect(await eventsOf('access_token.revoke', key.id)).toHaveLength(1)
  })

  it('of a user token ends that token, and no other of its user', async () => {
    const tokens = [
      await insertUserToken(database, { userId: users.viewer }),
      await insertUserToken(database, { userId: users.viewer }),
    ]
    const left = () => database.query('SELECT FROM user_tokens WHERE user_id = $1', [users.viewer])
    expect(await leak(tokens[0] ?? '')).toMatchObject({ ended: [0], hashed: [tokens[0]] })
    expect(await left()).toHaveLength(1)
    expect(await eventsOf('user_token.revoke', users.viewer)).toEqual(reported.events)
    expect(await leak(tokens[0] ?? '')).toMatchObject({ ended: [0] })
    expect([await left(), await eventsOf('user_token.revoke', users.viewer)].map(({ length }) => length)).toEqual([
      1, 1,
    ])
  })

  it('hashes only whole tokens', async () => {
    const { token } = await insertApiKey(database, { organizationId: acme })
    for (const text of [
      token.slice(0, -1),
      `${token.slice(0, 40)} ${token.slice(40)}`,
      token.slice(0, 'svc_token_'.length),
    ]) {
      expect(await leak(text)).toMatchObject({ hashed: [''] })
    }
  })

  it('of a text ends all credentials in it, up to five, and sends as much for as many that belong to nobody', async () => {
    const keys = [
      await insertApiKey(database, { organizationId: acme }),
      await insertApiKey(database, { organizationId: acme }),
    ]
    const spared = [
      await insertApiKey(database, { organizationId: acme }),
      await insertApiKey(database, { organizationId: acme }),
    ]
    const tokenOf = await insertApiKey(database, { organizationId: acme })
    const userToken = await insertUserToken(database, { userId: users.requester })
    queries.take()
    const [one, two] = keys.map(({ secret }) => secret)
    const found = `a=${one}\n# ${one}\n"${two}","${tokenOf.token}", ${userToken}x\nand ${createApiKeySecret('pk', runtime)}`
    expect(await leak(found)).toMatchObject({ ended: [2] })
    const sent = queries.take()
    expect(await stateOf(...keys)).toEqual([reported, reported])
    expect(await stateOf(tokenOf)).toEqual([live])
    expect(await database.query('SELECT FROM user_tokens WHERE user_id = $1', [users.requester])).toEqual([])
    queries.take()
    expect(await leak(found)).toMatchObject({ ended: [0] })
    expect(queries.take()).toEqual(sent)
    const others = Array.from({ length: 5 }, () => createApiKeySecret('pk', runtime))
    expect(await leak([...others, ...spared.map(({ secret }) => secret)].join(' '))).toMatchObject({ hashed: others })
    expect(await stateOf(...spared)).toEqual(spared.map(() => ({ ...live, sessions: 1 })))
  })

  it('sends the same to the database whether there is such a credential or not', async () => {
    const sentFor = async (secret: string) => {
      await leak(secret)
      return queries.take()
    }
    const key = await insertApiKey(database, { organizationId: acme })
    const userToken = await insertUserToken(database, { userId: users.viewer })
    queries.take()
    for (const secret of [key.token, userToken, key.secret]) {
      const found = await sentFor(secret)
      expect(found).toHaveLength(1)
      expect(await sentFor(secret)).toEqual(found)
    }
    const hit = await sentFor((await insertApiKey(database, { organizationId: acme })).secret)
    expect(await sentFor(createApiKeySecret('pk', runtime))).toEqual(hit.slice(-1))
    expect(await sentFor('hunter2')).toEqual(hit.slice(-1))
  })

  it('takes the clock of the machine', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    await revokeLeakedKey({ database, hasher: plain, runtime }, key.secret, 'leak-report')
    expect(await stateOf(key)).toEqual([reported])
  })

  it('by the operator ends only the key, or its chain', async () => {
    const key = await insertApiKey(database, { organizationId: acme })
    expect(await revokeKeyById({ database, runtime }, key.id)).toEqual([key.id])
    expect(await revokeKeyById({ database, runtime }, key.id, { chain: true })).toEqual([])
    await expect(revokeKeyById({ database, runtime }, 'nothing')).rejects.toMatchObject({
      reason: 'RESOURCE_NOT_FOUND',
    })
    expect(await stateOf(key)).toEqual([byOperator])

    const chain = await chainOf(3)
    const untouched = await insertApiKey(database, { organizationId: acme })
    const [first, second, third] = chain.map(({ id }) => id)
    expect(await revokeKeyById({ database, runtime }, second ?? '')).toEqual([second])
    expect(await stateOf(...chain)).toEqual([live, byOperator, live])
    expect(await revokeKeyById({ database, runtime }, second ?? '', { chain: true })).toEqual([first, third])
    expect(await stateOf(...chain)).toEqual([byOperator, byOperator, byOperator])
    expect(await stateOf(untouched)).toEqual([{ ...live, sessions: 1 }])
  })
})

describe('a failure of the database', () => {
  const outcomeOf = (error: unknown) => orUnavailable(Promise.reject(error)).catch((reason: unknown) => reason)

  it('becomes unavailable', async () => {
    const cause = Object.assign(new pg.DatabaseError('no', 2, 'error'), { code: '57P01', severity: 'FATAL' })
    const message = 'the service is temporarily unavailable; try again'
    const unavailable = { reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1, message, cause }
    expect(await outcomeOf(cause)).toMatchObject(unavailable)
  })

  it.each([
    ['an error of the service', new ServiceError('RATE_LIMITED', 'slowly')],
    ['a bug', new TypeError('no')],
  ])('is distinguished from %s', async (_, error) => {
    expect(await outcomeOf(error)).toBe(error)
  })
})
