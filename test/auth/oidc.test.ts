import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import type { Database } from '../../src/db/database.js'
import { type Authenticate, createAuthenticator } from '../../src/domain/auth/authentication.js'
import { createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createKeyUses } from '../../src/domain/auth/key-use.js'
import { createOidcVerifier, type OidcOptions } from '../../src/domain/auth/oidc.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture, insertUser } from '../support/fixture.js'
import { ISSUED_TOKEN_SECONDS, type OidcIssuer, startOidcIssuer, startStaticIssuer } from '../support/oidc-issuer.js'
import { createTestRuntime, type TestRuntime } from '../support/runtime.js'
import { startTestService } from '../support/service.js'

const { acme, globex, users } = fixture
const audience = 'https://svc.example.com'
const admin = { email: `${users.admin}@example.com`, email_verified: true }

function organizationIn(caller: Awaited<ReturnType<Authenticate>>): string | undefined {
  return caller === 'expired' ? undefined : caller?.organizationId
}

describe('tokens of the OpenID Connect issuer', () => {
  let testDatabase: TestDatabase
  let database: Database
  let issuer: OidcIssuer
  let runtime: TestRuntime
  let authenticate: Authenticate

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    await database.execute(`INSERT INTO organizations (id, name) VALUES ('initech', 'Initech')`)
    await insertUser(database, { id: 'consultant', organizationId: acme, role: 'ORG_ADMIN' })
    await insertUser(database, { id: 'consultant', organizationId: globex, role: 'ORG_GUEST' })
    issuer = await startOidcIssuer()
  })

  beforeEach(() => {
    runtime = createTestRuntime()
    authenticate = createAuthenticate()
  })

  afterEach(() => issuer.fail(false))

  afterAll(async () => {
    await issuer.stop()
    await testDatabase.drop()
  })

  const createAuthenticate = (options: Partial<OidcOptions> = {}) =>
    createAuthenticator({
      database,
      hasher: createSecretHasher(),
      bearerTokens: createBearerTokens({ database, runtime: createTestRuntime() }),
      keyUses: createKeyUses({ database, log: { warn: () => {} } }),
      oidc: createOidcVerifier({ issuer: issuer.url, audience, runtime, ...options }),
    })
  /** A token with everything right, unless told otherwise, signed by the test and not by the issuer. */
  const forge = (claims: Record<string, unknown> = {}) => {
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({ iss: issuer.url, aud: audience, iat: now, exp: now + 60, ...admin, ...claims })
  }
  const issuerKey = async () => {
    const [jwk] = issuer.keys
    if (jwk === undefined) throw new Error('the issuer has no key')
    return { jwk, key: await importJWK(jwk, 'RS256') }
  }

  it('open the API to the person whose verified address they carry', async () => {
    expect(await authenticate(await issuer.issue(audience, admin))).toMatchObject({
      kind: 'user',
      id: users.admin,
      organizationId: acme,
      reach: { scope: 'organization' },
    })
  })

  it('open the whole service, where it is configured to trust the issuer', async () => {
    const token = await issuer.issue(audience, admin)
    const trusting = await startTestService({
      testDatabase,
      config: { oidc: { issuer: issuer.url, audience, organization: undefined } },
    })
    const wary = await startTestService({ testDatabase })
    try {
      const path = `/v2/app-instances?teamId=${fixture.it}`
      expect((await trusting.rest('GET', path, { token })).status).toBe(200)
      expect((await trusting.rest('GET', path, { token: `${token}x` })).status).toBe(401)
      expect((await wary.rest('GET', path, { token })).status).toBe(401)
    } finally {
      await trusting.stop()
      await wary.stop()
    }
  })

  it('name the person by an address in any case', async () => {
    const token = await issuer.issue(audience, { ...admin, email: admin.email.toUpperCase() })
    expect(await authenticate(token)).toMatchObject({ id: users.admin })
  })

  it.each([
    ['the organization that they name', globex, acme, globex],
    ['the configured organization, where they name none', undefined, globex, globex],
    ['the oldest membership, where neither names one', undefined, undefined, acme],
    ['nothing, where they name an organization of others', 'nowhere', acme, undefined],
    ['nothing, where the configured organization is one of others', undefined, 'nowhere', undefined],
  ])('open to a person who belongs to several organizations %s', async (_, org, organization, opened) => {
    const consultant = { email: 'consultant@example.com', email_verified: true, ...(org !== undefined && { org }) }
    const caller = await createAuthenticate({ organization })(await issuer.issue(audience, consultant))
    expect(organizationIn(caller)).toBe(opened)
  })

  it('are accepted for the same organization whatever other organizations do', async () => {
    const claims = { email: 'founder@example.com', email_verified: true }
    const organizationOf = async () => organizationIn(await authenticate(await issuer.issue(audience, claims)))
    await insertUser(database, { id: 'founder', organizationId: globex })
    expect(await organizationOf()).toBe(globex)
    const columns = { created_at: '2001-01-01T00:00:00Z' }
    await insertUser(database, { id: 'founder', organizationId: acme, columns })
    await insertUser(database, { id: 'namesake', organizationId: 'initech', email: claims.email, columns })
    expect(await organizationOf()).toBe(globex)
    await database.execute(
      `UPDATE memberships SET deactivated_at = now() WHERE organization_id = $1 AND user_id = $2`,
      [globex, 'founder'],
    )
    expect(await organizationOf()).toBe(acme)
  })

  it.each([
    ['an address that is not verified', { ...admin, email_verified: false }],
    ['an address that is verified only in words', { ...admin, email_verified: 'true' }],
    ['an address that nothing says is verified', { email: admin.email }],
    ['no address', { email_verified: true }],
    ['the address of a stranger', { ...admin, email: 'stranger@example.com' }],
    ['an organization to which the person does not belong', { ...admin, org: globex }],
    ['an organization that is no text', { ...admin, org: 1 }],
  ])('are refused with %s', async (_, claims) => {
    expect(await authenticate(await issuer.issue(audience, claims))).toBeUndefined()
  })

  it('are refused where they are for another audience', async () => {
    expect(await authenticate(await issuer.issue('https://other.example.com', admin))).toBeUndefined()
  })

  it('are refused for a person who is deactivated', async () => {
    const claims = { email: `${users.viewer}@example.com`, email_verified: true }
    expect(await authenticate(await issuer.issue(audience, claims))).toBeDefined()
    await database.execute('UPDATE memberships SET deactivated_at = now() WHERE user_id = $1', [users.viewer])
    expect(await authenticate(await issuer.issue(audience, claims))).toBeUndefined()
  })

  it('are refused once they have expired, with 30 seconds for clocks that differ', async () => {
    const token = await issuer.issue(audience, admin)
    runtime.advance((ISSUED_TOKEN_SECONDS + 25) * 1000)
    expect(await authenticate(token)).toBeDefined()
    runtime.advance(10_000)
    expect(await authenticate(token)).toBe('expired')
  })

  it('are refused where the issuer has not signed them', async () => {
    const { jwk, key } = await issuerKey()
    const header = { alg: 'RS256', kid: jwk.kid ?? '' }
    expect(await authenticate(await forge().setProtectedHeader(header).sign(key))).toBeDefined()

    const { privateKey } = await generateKeyPair('RS256')
    const publicPem = createPublicKey({ key: { kty: 'RSA', n: jwk.n ?? '', e: jwk.e ?? '' }, format: 'jwk' })
    const asSecret = new TextEncoder().encode(String(publicPem.export({ type: 'spki', format: 'pem' })))
    const now = Math.floor(Date.now() / 1000)
    const unsigned = new UnsecuredJWT({ ...admin, iss: issuer.url, aud: audience, exp: now + 60 }).encode()
    const signed = await forge().setProtectedHeader(header).sign(key)
    const [head, , signature] = signed.split('.')
    const otherClaims = Buffer.from(JSON.stringify({ ...admin, iss: issuer.url, aud: audience, exp: now + 9e6 }))
    for (const token of [
      await forge().setProtectedHeader(header).sign(privateKey), // Another key under the same id.
      await forge()
        .setProtectedHeader({ ...header, kid: 'unknown' })
        .sign(privateKey),
      await forge()
        .setProtectedHeader({ ...header, alg: 'HS256' })
        .sign(asSecret), // The public key as a secret.
      unsigned,
      `${unsigned}e30`,
      `${head}.${otherClaims.toString('base64url')}.${signature}`,
      await forge({ iss: 'https://issuer.example.com' }).setProtectedHeader(header).sign(key),
      await forge({ exp: undefined }).setProtectedHeader(header).sign(key),
      await forge({ exp: 'tomorrow' }).setProtectedHeader(header).sign(key),
      await forge({ nbf: now + 120 })
        .setProtectedHeader(header)
        .sign(key),
    ]) {
      expect([token, await authenticate(token)]).toEqual([token, undefined])
    }
  })

  describe('of an issuer whose key set is not what it should be', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const strong = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = (key: KeyObject, more: JWK = {}): JWK => ({ ...key.export({ format: 'jwk' }), alg: 'RS256', ...more })
    const good = jwk(strong.publicKey, { kid: 'good' })
    const setOf = (...keys: unknown[]) => JSON.stringify({ keys })
    const padding = 'x'.repeat(1024 * 1024)

    /** Judges a token of an issuer with that key set. */
    const judge = async (keySet: string, kid: string, key: KeyObject) => {
      const issued = await startStaticIssuer(keySet)
      try {
        const now = Math.floor(Date.now() / 1000)
        const claims = { ...admin, iss: issued.url, aud: audience, exp: now + 60 }
        // Signed by hand: libraries refuse to sign with a weak key.
        const unsigned = [{ alg: 'RS256', kid }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.')
        const token = `${unsigned}.${sign('sha256', Buffer.from(unsigned), key).toString('base64url')}`
        return await createAuthenticate({ issuer: issued.url })(token)
      } finally {
        await issued.stop()
      }
    }

    it.each([
      ['is too weak', setOf(good, jwk(weak.publicKey, { kid: 'bad' })), weak.privateKey],
      ['has no modulus', setOf(good, { kty: 'RSA', alg: 'RS256', kid: 'bad', e: 'AQAB' }), strong.privateKey],
      ['is no base64', setOf(good, { ...good, kid: 'bad', n: '§' }), strong.privateKey],
      ['is a private one', setOf(good, jwk(strong.privateKey, { kid: 'bad' })), strong.privateKey],
    ])('are refused where their key %s, and hinder no others', async (_, keySet, privateKey) => {
      expect(await judge(keySet, 'bad', privateKey)).toBeUndefined()
      expect(await judge(keySet, 'good', strong.privateKey)).toMatchObject({ id: users.admin })
    })

    it('are accepted where something beside their key is no key at all', async () => {
      expect(await judge(setOf(null, 'text', good), 'good', strong.privateKey)).toMatchObject({ id: users.admin })
    })

    it.each([
      ['is larger than 1 MiB', JSON.stringify({ padding, keys: [good] })],
      ['is no JSON', '{'],
      ['is no object', 'null'],
      ['has no keys', '{}'],
    ])('are neither accepted nor refused where the key set %s', async (_, keySet) => {
      const refusal = { reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 }
      await expect(judge(keySet, 'good', strong.privateKey)).rejects.toMatchObject(refusal)
    })
  })

  it('need the keys of the issuer once, and again when a token names a new one', async () => {
    const patient = createAuthenticate({ cooldownMillis: 0 })
    const before = issuer.keyFetches()
    const old = await issuer.issue(audience, admin)
    for (let time = 0; time < 5; time++) expect(await patient(old)).toBeDefined()
    expect(issuer.keyFetches() - before).toBe(1)
    await issuer.rotate()
    expect(await patient(await issuer.issue(audience, admin))).toBeDefined()
    expect(issuer.keyFetches() - before).toBe(2)
    expect(await patient(old)).toBeUndefined()
  })

  it('do not make the service ask for keys as often as strangers like', async () => {
    expect(await authenticate(await issuer.issue(audience, admin))).toBeDefined()
    const before = issuer.keyFetches()
    const { privateKey } = await generateKeyPair('RS256')
    for (let time = 0; time < 5; time++) {
      const token = await forge()
        .setProtectedHeader({ alg: 'RS256', kid: `unknown-${time}` })
        .sign(privateKey)
      expect(await authenticate(token)).toBeUndefined()
    }
    expect(issuer.keyFetches()).toBe(before)
  })

  it('are neither accepted nor refused while the issuer cannot be asked, and accepted afterwards', async () => {
    const token = await issuer.issue(audience, admin)
    issuer.fail(true)
    await expect(authenticate(token)).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
    expect(await authenticate('a text that is no token of it')).toBeUndefined()
    issuer.fail(false)
    expect(await authenticate(token)).toBeDefined()
  })
})
