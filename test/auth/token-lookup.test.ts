import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { ACCESS_TOKEN_PREFIX, type BearerTokens, createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { createTokenLookup } from '../../src/domain/auth/token-lookup.js'
import type { OrganizationTokens } from '../../src/store/token-holder.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'

describe('the look-up of tokens', () => {
  let testDatabase: TestDatabase
  let database: Database
  let tokens: BearerTokens
  let opened: string[]
  let asked: OrganizationTokens[]
  let find: (token: string) => Promise<{ readonly tokenHash: Uint8Array } | undefined>

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    tokens = createBearerTokens({ database, runtime: createTestRuntime() })
  })
  afterAll(() => testDatabase.drop())

  beforeEach(() => {
    opened = []
    asked = []
    const options = { database, hasher: createSecretHasher() }
    find = createTokenLookup(
      options,
      (token) => {
        opened.push(token)
        return tokens.organizationOf(ACCESS_TOKEN_PREFIX, token)
      },
      async (_tables, tokens) => {
        asked.push(tokens)
        return tokens.tokenHashes.map((tokenHash) => ({ tokenHash }))
      },
    )
  })

  it('opens a token once, and asks the database in every call', async () => {
    const token = await tokens.issue(ACCESS_TOKEN_PREFIX, 'org_acme')
    for (let call = 0; call < 3; call++) expect(await find(token)).toBeDefined()
    expect(opened).toEqual([token])
    expect(asked.map(({ organizationId }) => organizationId)).toEqual(['org_acme', 'org_acme', 'org_acme'])
  })

  it('keeps tokens of several organizations apart', async () => {
    const issued = await Promise.all(['org_acme', 'org_globex'].map((id) => tokens.issue(ACCESS_TOKEN_PREFIX, id)))
    for (const token of [...issued, ...issued]) await find(token)
    expect(asked.map(({ organizationId }) => organizationId)).toEqual([
      'org_acme',
      'org_globex',
      'org_acme',
      'org_globex',
    ])
  })

  it('asks for no forged token, and keeps nothing of it', async () => {
    const token = await tokens.issue(ACCESS_TOKEN_PREFIX, 'org_acme')
    const forged = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')
    for (let call = 0; call < 2; call++) expect(await find(forged)).toBeUndefined()
    expect(opened).toEqual([forged, forged])
    expect(asked).toEqual([])
  })

  it('shares a statement between calls in the same turn of the event loop', async () => {
    const issued = await Promise.all(Array.from({ length: 8 }, () => tokens.issue(ACCESS_TOKEN_PREFIX, 'org_acme')))
    await Promise.all(issued.map((token) => find(token)))
    asked.splice(0)
    await Promise.all(issued.map((token) => find(token)))
    expect(asked.map(({ tokenHashes }) => tokenHashes.length)).toEqual([8])
  })
})
