import { createPublicKey } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { type Authenticate, createAuthenticator } from '../../src/domain/auth/authentication.js'
import { createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createKeyUses } from '../../src/domain/auth/key-use.js'
import { createOidcSignIn, type OidcSignInOptions } from '../../src/domain/auth/oidc.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture, insertUser } from '../support/fixture.js'
import { ISSUED_TOKEN_SECONDS, type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.js'
import { createTestRuntime, type TestRuntime } from '../support/runtime.js'
import { startTestService } from '../support/service.js'
import type { Database } from '../support/sql.js'

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
  /** What the log says of refused tokens. */
  let refusals: { requestId: string | undefined; refusal: string }[]

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
    refusals = []
    authenticate = createAuthenticate()
  })

  afterAll(async () => {
    await issuer.stop()
    await testDatabase.drop()
  })

  const createAuthenticate = (options: Partial<OidcSignInOptions> = {}) =>
    createAuthenticator({
      database,
      hasher: createSecretHasher(),
      bearerTokens: createBearerTokens({ database, runtime: createTestRuntime() }),
      keyUses: createKeyUses({ database, runtime, log: { warn: () => {} } }),
      oidc: createOidcSignIn({
        issuer: issuer.url,
        audience,
        emailClaim: 'email',
        emailVerifiedClaim: 'email_verified',
        database,
        runtime,
        log: {
          info: (fields) => refusals.push(fields),
          warn: ({ err }) => {
            throw err
          },
        },
        ...options,
      }),
    })
  /** A token that is valid unless claims say otherwise, signed by the test and not by the issuer. */
  const forge = (claims: Record<string, unknown> = {}) => {
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({ iss: issuer.url, aud: audience, iat: now, exp: now + 60, ...admin, ...claims })
  }
  const deactivate = (userId: string, organizationId: string) =>
    database.execute('UPDATE memberships SET deactivated_at = now() WHERE organization_id = $1 AND user_id = $2', [
      organizationId,
      userId,
    ])
  const issuerKey = async () => {
    const [jwk] = issuer.keys
    if (jwk === undefined) throw new Error('the issuer has no key')
    return { jwk, key: await importJWK(jwk, 'RS256') }
  }

  it('authenticate the person with their verified address', async () => {
    expect(await authenticate(await issuer.issue(audience, admin))).toMatchObject({
      kind: 'USER_TOKEN',
      id: users.admin,
      organizationId: acme,
      reach: { scope: 'organization' },
    })
  })

  it('authenticate the person whose address is verified in words, as Apple, Cognito and JumpCloud send it', async () => {
    const token = await issuer.issue(audience, { ...admin, email_verified: 'true' })
    expect(await authenticate(token)).toMatchObject({ kind: 'USER_TOKEN', id: users.admin })
  })

  it('give a role in a team until it ends, exactly', async () => {
    const ends = new Date(Date.now() + 10_000)
    await database.execute(
      `INSERT INTO team_members (organization_id, team_id, user_id, role, expires_at) VALUES ($1, $2, $3, 'AGENT', $4)`,
      [acme, fixture.it, users.requester, ends],
    )
    const token = await issuer.issue(audience, { ...admin, email: `${users.requester}@example.com` })
    const teamsAt = async (time: number) => {
      const clock = { ...runtime, now: () => new Date(time) }
      const caller = await createAuthenticate({ runtime: clock })(token)
      return caller !== 'expired' && caller?.reach.scope === 'teams' && [...caller.reach.teams.keys()]
    }
    expect(await teamsAt(ends.getTime() - 1)).toEqual([fixture.it])
    expect(await teamsAt(ends.getTime())).toEqual([])
  })

  it('work on the whole service if it is configured to trust the issuer', async () => {
    const token = await issuer.issue(audience, admin)
    const trusting = await startTestService({
      testDatabase,
      config: {
        oidc: {
          issuer: issuer.url,
          audience,
          organization: undefined,
          emailClaim: 'email',
          emailVerifiedClaim: 'email_verified',
        },
      },
    })
    const wary = await startTestService({ testDatabase })
    try {
      const path = `/v2/app-instances?teamId=${fixture.it}`
      expect((await trusting.rest('GET', path, { token })).status).toBe(200)
      const forged = `${token.slice(0, token.lastIndexOf('.'))}.c2lnbmF0dXJl`
      const refused = await trusting.rest('GET', path, { token: forged })
      const unknown = await trusting.rest('GET', path, {
        token: await issuer.issue(audience, { ...admin, email: 'stranger@example.com' }),
      })
      expect([refused.status, unknown.status]).toEqual([401, 401])
      expect(unknown.json.message).toBe(refused.json.message)
      const logged = trusting.logLines.map((line) => JSON.parse(line)).filter(({ refusal }) => refusal !== undefined)
      expect(logged).toMatchObject([
        { requestId: refused.headers.get('x-request-id'), refusal: 'wrong signature', msg: 'a JWT is refused' },
        { requestId: unknown.headers.get('x-request-id'), refusal: 'unknown person', msg: 'a JWT is refused' },
      ])
      expect(trusting.logLines.join()).not.toContain(token.slice(0, 20))
      expect((await wary.rest('GET', path, { token })).status).toBe(401)
    } finally {
      await trusting.stop()
      await wary.stop()
    }
  })

  it('match the address in any case', async () => {
    const token = await issuer.issue(audience, { ...admin, email: admin.email.toUpperCase() })
    expect(await authenticate(token)).toMatchObject({ id: users.admin })
  })

  it.each([
    ['the organization that they name', globex, acme, globex],
    ['the configured organization, if they name none', undefined, globex, globex],
    ['the configured organization, if they name null', null, globex, globex],
    ['the configured organization, if they name an empty text', '', globex, globex],
    ['nothing, if neither names one', undefined, undefined, undefined],
    ['nothing, if they name a foreign organization', 'nowhere', acme, undefined],
    ['nothing, if the configured organization is foreign', undefined, 'nowhere', undefined],
  ])('of a person who belongs to several organizations open %s', async (_, org, organization, opened) => {
    const consultant = { email: 'consultant@example.com', email_verified: true, ...(org !== undefined && { org }) }
    const caller = await createAuthenticate({ organization })(await issuer.issue(audience, consultant))
    expect(organizationIn(caller)).toBe(opened)
  })

  it('open the only active membership of the person, and are refused while there are several', async () => {
    const claims = { email: 'founder@example.com', email_verified: true }
    const organizationOf = async () => organizationIn(await authenticate(await issuer.issue(audience, claims)))
    await insertUser(database, { id: 'founder', organizationId: globex })
    expect(await organizationOf()).toBe(globex)
    await insertUser(database, { id: 'founder', organizationId: acme })
    expect(await organizationOf()).toBeUndefined()
    expect(refusals).toMatchObject([{ refusal: 'ambiguous address' }])
    await deactivate('founder', globex)
    expect(await organizationOf()).toBe(acme)
    await deactivate('founder', acme)
    expect(await organizationOf()).toBeUndefined()
    expect(refusals.at(-1)).toMatchObject({ refusal: 'deactivated person' })
  })

  it('are refused if two active persons have the address, unless they name an organization', async () => {
    const email = 'taken@example.com'
    await insertUser(database, { id: 'intruder', organizationId: globex, email: 'intruder@example.com' })
    await insertUser(database, { id: 'owner', organizationId: acme, email })
    const claims = { email, email_verified: true }
    const token = await issuer.issue(audience, claims)
    expect(await authenticate(token)).toMatchObject({ id: 'owner', organizationId: acme })

    await database.execute('UPDATE memberships SET email = $1 WHERE user_id = $2', [email, 'intruder'])
    expect(await authenticate(token, { requestId: 'a-call' })).toBeUndefined()
    expect(refusals).toEqual([{ requestId: 'a-call', refusal: 'ambiguous address' }])
    await deactivate('owner', acme)
    expect(await authenticate(token)).toMatchObject({ id: 'intruder', organizationId: globex })
    await database.execute('UPDATE memberships SET deactivated_at = NULL WHERE user_id = $1', ['owner'])

    for (const [organizationId, id] of [
      [acme, 'owner'],
      [globex, 'intruder'],
    ] as const) {
      const named = await issuer.issue(audience, { ...claims, org: organizationId })
      expect(await authenticate(named)).toMatchObject({ id, organizationId })
      const configured = createAuthenticate({ organization: organizationId })
      expect(await configured(token)).toMatchObject({ id, organizationId })
    }
    expect(await createAuthenticate({ organization: 'initech' })(token)).toBeUndefined()
  })

  it.each([
    ['no verified address', 'an address that is not verified', { ...admin, email_verified: false }],
    ['no verified address', 'an address that is not verified, in words', { ...admin, email_verified: 'false' }],
    ['no verified address', 'a number for a verification', { ...admin, email_verified: 1 }],
    ['no verified address', 'a word that is none of JSON', { ...admin, email_verified: 'yes' }],
    ['no verified address', 'an address without a statement that it is verified', { email: admin.email }],
    ['no verified address', 'no address', { email_verified: true }],
    ['unknown person', 'an unknown address', { ...admin, email: 'stranger@example.com' }],
    [
      'unknown organization or person',
      'an organization to which the person does not belong',
      { ...admin, org: globex },
    ],
    ['malformed organization', 'an organization that is not a string', { ...admin, org: 1 }],
  ])('are refused, and logged as having %s, with %s', async (refusal, _, claims) => {
    expect(await authenticate(await issuer.issue(audience, claims), { requestId: 'a-call' })).toBeUndefined()
    expect(refusals).toEqual([{ requestId: 'a-call', refusal }])
  })

  it.each([
    ['true', true, true],
    ['"true"', 'true', true],
    ['1', 1, true],
    ['"1"', '1', true],
    ['false', false, false],
    ['"false"', 'false', false],
    ['0', 0, false],
    ['"yes"', 'yes', false],
  ])('are read by the configured claims, with %s for the verification of the address', async (_, value, isAccepted) => {
    const configured = createAuthenticate({ emailClaim: 'mail', emailVerifiedClaim: 'xms_edov' })
    const token = await issuer.issue(audience, { mail: admin.email, xms_edov: value, email_verified: !isAccepted })
    expect((await configured(token)) !== undefined).toBe(isAccepted)
    expect(await configured(await issuer.issue(audience, admin))).toBeUndefined()
  })

  it('are refused if they are for another audience', async () => {
    expect(await authenticate(await issuer.issue('https://other.example.com', admin))).toBeUndefined()
    expect(refusals).toMatchObject([{ refusal: 'other audience' }])
  })

  it('are refused for a deactivated user', async () => {
    const claims = { email: `${users.viewer}@example.com`, email_verified: true }
    expect(await authenticate(await issuer.issue(audience, claims))).toBeDefined()
    await deactivate(users.viewer, acme)
    expect(await authenticate(await issuer.issue(audience, claims))).toBeUndefined()
    expect(refusals).toMatchObject([{ refusal: 'deactivated person' }])
  })

  it('are refused if they were issued before the sessions of the user ended, or do not say when', async () => {
    const { key } = await issuerKey()
    const claims = { email: `${users.contributor}@example.com`, email_verified: true }
    const at = (iat: number | undefined) =>
      forge({ ...claims, iat })
        .setProtectedHeader({ alg: 'RS256' })
        .sign(key)
    const now = Math.floor(Date.now() / 1000)
    expect(await authenticate(await at(undefined))).toBeDefined()
    await database.execute('UPDATE memberships SET sessions_ended_at = to_timestamp($2) WHERE user_id = $1', [
      users.contributor,
      now - 10,
    ])
    expect(await authenticate(await at(now - 10))).toBeDefined()
    for (const before of [now - 11, undefined]) expect(await authenticate(await at(before))).toBeUndefined()
    expect(refusals).toMatchObject([{ refusal: 'ended session' }, { refusal: 'ended session' }])
  })

  it.each([
    ['milliseconds', 1e13],
    ['no end', Number.MAX_SAFE_INTEGER],
  ])('last until the year 9999 at most if their expiry is given in %s', async (_, exp) => {
    const { key } = await issuerKey()
    const token = await forge({ exp }).setProtectedHeader({ alg: 'RS256' }).sign(key)
    expect(await authenticate(token)).toMatchObject({ expiresAt: new Date('9999-12-31T23:59:59.999Z') })
  })

  it('are refused once they have expired, with 30 seconds of tolerance for clock skew', async () => {
    const token = await issuer.issue(audience, admin)
    runtime.advance((ISSUED_TOKEN_SECONDS + 25) * 1000)
    expect(await authenticate(token)).toBeDefined()
    runtime.advance(10_000)
    expect(await authenticate(token)).toBe('expired')
    expect(refusals).toMatchObject([{ refusal: 'expired' }])
  })

  it('are refused if the issuer has not signed them', async () => {
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
    const refused: [string, string][] = [
      ['wrong signature', await forge().setProtectedHeader(header).sign(privateKey)], // Another key under the same id.
      [
        'unknown key',
        await forge()
          .setProtectedHeader({ ...header, kid: 'unknown' })
          .sign(privateKey),
      ],
      [
        'malformed', // The public key as a secret.
        await forge()
          .setProtectedHeader({ ...header, alg: 'HS256' })
          .sign(asSecret),
      ],
      ['malformed', `${unsigned}e30`],
      ['wrong signature', `${head}.${otherClaims.toString('base64url')}.${signature}`],
      ['other issuer', await forge({ iss: 'https://issuer.example.com' }).setProtectedHeader(header).sign(key)],
      ['no expiry', await forge({ exp: undefined }).setProtectedHeader(header).sign(key)],
      ['no expiry', await forge({ exp: 'tomorrow' }).setProtectedHeader(header).sign(key)],
      [
        'not yet valid',
        await forge({ nbf: now + 120 })
          .setProtectedHeader(header)
          .sign(key),
      ],
    ]
    for (const [refusal, token] of refused) {
      refusals = []
      expect([token, await authenticate(token, { requestId: 'a-call' })]).toEqual([token, undefined])
      expect([token, refusals]).toEqual([token, [{ requestId: 'a-call', refusal }]])
    }
    expect(await authenticate(unsigned)).toBeUndefined()
  })
})
