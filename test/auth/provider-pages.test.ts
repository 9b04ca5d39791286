import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { configFromEnvironment } from '../../src/config.js'
import { createOidcSignIn } from '../../src/domain/auth/oidc.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { insertUser } from '../support/fixture.js'
import { startStaticIssuer } from '../support/oidc-issuer.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'

const organizationId = 'org_acme'
const providers = ['okta', 'entra'] as const

/** The settings of a page, and the payload of a token as it shows it. */
async function examplesOf(provider: string) {
  const page = await readFile(join(import.meta.dirname, `../../docs/${provider}.md`), 'utf8')
  const settings = [...page.matchAll(/^ *export (\w+)=(\S+)$/gm)].map(([, name = '', value]) => [name, value])
  const payloads = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text))
  const { oidc } = configFromEnvironment(Object.fromEntries(settings))
  if (oidc === undefined || payloads.length !== 1) throw new Error(`docs/${provider}.md lacks its examples`)
  return { oidc, payload: payloads[0] }
}

describe('the pages about identity providers', () => {
  let testDatabase: TestDatabase
  let database: Database
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await database.execute('INSERT INTO organizations (id, name) VALUES ($1, $1), ($2, $2)', [organizationId, 'other'])
    await insertUser(database, { id: 'user_ada', organizationId, email: 'ada@acme.example' })
    await insertUser(database, { id: 'namesake', organizationId: 'other', email: 'ada@acme.example' })
  })
  afterAll(() => testDatabase.drop())

  it.each(providers)('show settings for %s with which the example token signs in', async (provider) => {
    const { oidc, payload } = await examplesOf(provider)
    expect(payload.iss).toBe(oidc.issuer)
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const issuer = await startStaticIssuer(JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] }))
    const refusals: string[] = []
    const signIn = createOidcSignIn({
      ...oidc,
      issuer: issuer.url,
      database,
      runtime: createTestRuntime(),
      log: { info: ({ refusal }) => refusals.push(refusal), warn: ({ err }) => refusals.push(String(err)) },
    })
    const signInWith = async (claims: object) => {
      const token = new SignJWT({ ...payload, iss: issuer.url, ...claims }).setExpirationTime('1h')
      return signIn(await token.setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey))
    }
    try {
      expect(await signInWith({})).toMatchObject({ userId: 'user_ada', organizationId })
      expect(await signInWith({ [oidc.emailVerifiedClaim]: undefined })).toBeUndefined()
      expect(await signInWith({ aud: 'https://other.example.com' })).toBeUndefined()
      expect(refusals).toEqual(['no verified address', 'other audience'])
    } finally {
      await issuer.stop()
    }
  })
})
