import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Tables } from '../../src/db/tables.js'
import {
  ACCESS_TOKEN_PREFIX,
  type BearerTokens,
  createBearerTokens,
  USER_TOKEN_PREFIX,
} from '../../src/domain/auth/bearer-token.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'

const runtime = createTestRuntime()
const acme = 'org_acme'
/** Where the sealed organization begins. */
const SEAL = ACCESS_TOKEN_PREFIX.length + 43

describe('bearer tokens', () => {
  let testDatabase: TestDatabase
  let database: Database
  let tokens: BearerTokens
  let statements: string[]

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    statements = []
    const counted: Tables = {
      ...database,
      run: (statement, parameters) => {
        statements.push(statement.name)
        return database.run(statement, parameters)
      },
    }
    tokens = createBearerTokens({ database: counted, runtime })
  })
  afterAll(() => testDatabase.drop())

  const issue = (organizationId = acme) => tokens.issue(ACCESS_TOKEN_PREFIX, organizationId)
  const organizationOf = (
    token: string,
    prefix: typeof ACCESS_TOKEN_PREFIX | typeof USER_TOKEN_PREFIX = ACCESS_TOKEN_PREFIX,
  ) => tokens.organizationOf(prefix, token)

  it.each([
    ['a', 96],
    [acme, 96],
    ['0198a1c0-7d00-7000-8000-000000000001', 139],
    ['o'.repeat(128), 245],
  ])('carry the organization %s, in %i characters', async (organizationId, length) => {
    const token = await issue(organizationId)
    expect(await organizationOf(token)).toEqual(organizationId)
    expect(token).toHaveLength(length)
    expect(token).toMatch(/^svc_token_[A-Za-z0-9_-]+$/)
  })

  it('reveal it to every process on the database, whichever created them', async () => {
    const other = createBearerTokens({ database, runtime })
    expect(await other.organizationOf(ACCESS_TOKEN_PREFIX, await issue())).toEqual(acme)
    const token = await other.issue(USER_TOKEN_PREFIX, acme)
    expect(await organizationOf(token, USER_TOKEN_PREFIX)).toEqual(acme)
  })

  it('do not show others whether two of them share an organization', async () => {
    const [one = '', other = ''] = [await issue(), await issue()].map((token) => token.slice(SEAL))
    const bytes = [one, other].map((text) => Buffer.from(text, 'base64url'))
    expect(bytes[0]?.filter((byte, index) => byte === bytes[1]?.[index]).length).toBeLessThan(8)
  })

  it('are rejected without a query if one character was changed', async () => {
    const token = await issue()
    statements = []
    for (let index = ACCESS_TOKEN_PREFIX.length; index < token.length; index++) {
      const other = token[index] === 'A' ? 'B' : 'A'
      expect(await organizationOf(token.slice(0, index) + other + token.slice(index + 1))).toBeUndefined()
    }
    expect(statements).toEqual([])
  })

  it('are rejected without a query if a part was taken from another token', async () => {
    const [token, other] = [await issue(), await issue()]
    const user = await tokens.issue(USER_TOKEN_PREFIX, acme)
    const userBody = user.slice(USER_TOKEN_PREFIX.length)
    statements = []
    for (const forged of [
      token.slice(0, SEAL) + other.slice(SEAL),
      ACCESS_TOKEN_PREFIX + userBody,
      token.slice(0, -1),
      token.slice(0, SEAL + 22),
      token.slice(0, SEAL),
      token.slice(0, SEAL - 1),
      `${token}A`,
      token + token.slice(SEAL),
      `${token}=`,
      ACCESS_TOKEN_PREFIX,
    ]) {
      expect([forged, await organizationOf(forged)]).toEqual([forged, undefined])
    }
    expect(await organizationOf(user)).toBeUndefined()
    expect(statements).toEqual([])
  })

  it('survive the replacement of their key in three steps', async () => {
    const fresh = () => createBearerTokens({ database, runtime })
    const knows = async (token: string) => (await fresh().organizationOf(ACCESS_TOKEN_PREFIX, token)) !== undefined
    const before = await fresh().issue(ACCESS_TOKEN_PREFIX, acme)
    const rename = (from: string, to: string) =>
      database.execute('UPDATE signing_keys SET name = $2 WHERE name = $1', [from, to])
    await database.execute(`INSERT INTO signing_keys (name, key) VALUES ('bearer_token_next', $1)`, [
      Buffer.from(runtime.randomBytes(32)),
    ])
    const during = fresh()
    await during.issue(ACCESS_TOKEN_PREFIX, acme)
    await rename('bearer_token', 'bearer_token_last')
    await rename('bearer_token_next', 'bearer_token')
    const after = await fresh().issue(ACCESS_TOKEN_PREFIX, acme)
    expect(await during.organizationOf(ACCESS_TOKEN_PREFIX, after)).toEqual(acme)
    expect([await knows(before), await knows(after)]).toEqual([true, true])
    await database.execute(`DELETE FROM signing_keys WHERE name = 'bearer_token_last'`)
    expect([await knows(before), await knows(after)]).toEqual([false, true])
  })

  it('require their key, and are created as soon as it exists', async () => {
    const hide = (from: string, to: string) =>
      database.execute('UPDATE signing_keys SET name = $2 WHERE name = $1', [from, to])
    await hide('bearer_token', 'hidden')
    const waiting = createBearerTokens({ database, runtime })
    await expect(waiting.issue(ACCESS_TOKEN_PREFIX, acme)).rejects.toThrow('no signing key bearer_token')
    await hide('hidden', 'bearer_token')
    expect(await waiting.issue(ACCESS_TOKEN_PREFIX, acme)).toMatch(/^svc_token_/)
  })
})
