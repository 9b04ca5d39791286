import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { createOidcVerifier } from '../../src/domain/auth/oidc.js'
import { eventually } from '../support/eventually.js'
import {
  type OidcIssuer,
  startOidcIssuer,
  startSilentIssuer,
  startStaticIssuer,
  startTricklingIssuer,
} from '../support/oidc-issuer.js'
import { createTestRuntime, type TestRuntime } from '../support/runtime.js'

const audience = 'https://svc.example.com'
const claims = { email: 'ada@example.com', email_verified: true }
const accepted = {
  email: claims.email,
  organizationId: undefined,
  expiresAt: expect.any(Date),
  issuedAt: expect.any(Date),
}
const unreachable = (retryAfterSeconds: number) => ({ reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds })

describe('tokens of the OpenID Connect issuer', () => {
  let issuer: OidcIssuer
  let runtime: TestRuntime
  let verify: ReturnType<typeof createOidcVerifier>
  /** What operators read. */
  let warnings: string[]

  beforeAll(async () => {
    issuer = await startOidcIssuer()
  })
  beforeEach(() => {
    runtime = createTestRuntime()
    warnings = []
    verify = createVerifier(issuer.url)
  })
  afterEach(() => issuer.fail(false))
  afterAll(() => issuer.stop())

  const createVerifier = (url: string) =>
    createOidcVerifier({
      issuer: url,
      audience,
      emailClaim: 'email',
      emailVerifiedClaim: 'email_verified',
      runtime,
      log: { warn: ({ err }) => warnings.push(String(err)) },
    })
  /** A token of the key, for an hour. */
  const forge = (key: Parameters<SignJWT['sign']>[0], kid: string | undefined, iss = issuer.url) => {
    const exp = Math.floor(Date.now() / 1000) + 86_400
    return new SignJWT({ ...claims, iss, aud: audience, exp })
      .setIssuedAt()
      .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }) })
      .sign(key)
  }
  /** A token of a key that the issuer does not have. */
  const strange = async (kid: string | undefined, iss = issuer.url) =>
    forge((await generateKeyPair('RS256')).privateKey, kid, iss)

  describe('of an issuer with a faulty key set', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const strong = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = (key: KeyObject, more: JWK = {}): JWK => ({ ...key.export({ format: 'jwk' }), alg: 'RS256', ...more })
    const good = jwk(strong.publicKey, { kid: 'good' })
    const setOf = (...keys: unknown[]) => JSON.stringify({ keys })
    const padding = 'x'.repeat(1024 * 1024)

    /** Judges a token of an issuer with that key set. */
    const verdictOn = async (keySet: string, kid: string, key: KeyObject) => {
      const issued = await startStaticIssuer(keySet)
      try {
        const now = Math.floor(Date.now() / 1000)
        const ofIssuer = { ...claims, iss: issued.url, aud: audience, iat: now, exp: now + 60 }
        // Signed by hand: libraries refuse to sign with a weak key.
        const unsigned = [{ alg: 'RS256', kid }, ofIssuer]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.')
        const token = `${unsigned}.${sign('sha256', Buffer.from(unsigned), key).toString('base64url')}`
        return await createVerifier(issued.url)(token)
      } finally {
        await issued.stop()
      }
    }

    it.each([
      ['is too weak', setOf(good, jwk(weak.publicKey, { kid: 'bad' })), weak.privateKey],
      ['has no modulus', setOf(good, { kty: 'RSA', alg: 'RS256', kid: 'bad', e: 'AQAB' }), strong.privateKey],
      ['is no base64', setOf(good, { ...good, kid: 'bad', n: '§' }), strong.privateKey],
      ['is a private one', setOf(good, jwk(strong.privateKey, { kid: 'bad' })), strong.privateKey],
    ])('are refused if their key %s, without affecting others', async (_, keySet, privateKey) => {
      expect(await verdictOn(keySet, 'bad', privateKey)).toBe('unusable key')
      expect(await verdictOn(keySet, 'good', strong.privateKey)).toEqual(accepted)
    })

    it('are accepted if other entries of the set are not keys', async () => {
      expect(await verdictOn(setOf(null, 'text', good), 'good', strong.privateKey)).toEqual(accepted)
    })

    it.each([
      ['is larger than 1 MiB', JSON.stringify({ padding, keys: [good] }), /more than 1048576 bytes/],
      ['is not JSON', '{', /JSON/],
      ['is not an object', 'null', /the document is not an object/],
      ['has no keys', '{}', /is not a key set/],
    ])('are neither accepted nor refused if the key set %s', async (_, keySet, warning) => {
      await expect(verdictOn(keySet, 'good', strong.privateKey)).rejects.toMatchObject(unreachable(30))
      expect(warnings).toEqual([expect.stringMatching(warning)])
    })
  })

  it('fetch the keys of the issuer once, and again when a token names a new one', async () => {
    const before = issuer.keyFetches()
    const old = await issuer.issue(audience, claims)
    for (let time = 0; time < 5; time++) expect(await verify(old)).toEqual(accepted)
    expect(issuer.keyFetches() - before).toBe(1)
    await issuer.rotate()
    runtime.advance(30_000)
    expect(await verify(await issuer.issue(audience, claims))).toEqual(accepted)
    expect(issuer.keyFetches() - before).toBe(2)
    expect(await verify(old)).toBe('unknown key')
  })

  it('fetch the keys again when their own has another key under the same id, at most every 30 seconds', async () => {
    const [one, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
    const keySet = async ({ publicKey }: typeof one) =>
      JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'same', alg: 'RS256' }] })
    const replacing = await startStaticIssuer(await keySet(one))
    try {
      const verifyReplaced = createVerifier(replacing.url)
      const [before, after] = [
        await forge(one.privateKey, 'same', replacing.url),
        await forge(other.privateKey, 'same', replacing.url),
      ]
      expect(await verifyReplaced(before)).toEqual(accepted)
      replacing.replaceKeys(await keySet(other))
      expect(await verifyReplaced(after)).toBe('wrong signature')
      runtime.advance(30_000)
      expect(await verifyReplaced(after)).toEqual(accepted)
      const { length } = replacing.traceparents
      for (let time = 0; time < 5; time++) expect(await verifyReplaced(before)).toBe('wrong signature')
      expect(replacing.traceparents).toHaveLength(length)
    } finally {
      await replacing.stop()
    }
  })

  it('are verified by any key that fits if they do not name theirs, as while an issuer has two', async () => {
    const pairs = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
    const jwks = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)))
    const issued = await startStaticIssuer(JSON.stringify({ keys: jwks.map((jwk) => ({ ...jwk, alg: 'RS256' })) }))
    try {
      const verifyOfTwo = createVerifier(issued.url)
      for (const { privateKey } of pairs) {
        expect(await verifyOfTwo(await forge(privateKey, undefined, issued.url))).toEqual(accepted)
      }
      expect(await verifyOfTwo(await strange(undefined, issued.url))).toBe('wrong signature')
    } finally {
      await issued.stop()
    }
  })

  it('cannot make the service fetch keys arbitrarily often', async () => {
    expect(await verify(await issuer.issue(audience, claims))).toEqual(accepted)
    const before = issuer.keyFetches()
    for (let time = 0; time < 5; time++) {
      expect(await verify(await strange(`unknown-${time}`))).toBe('unknown key')
      expect(await verify(await strange(issuer.keys[0]?.kid))).toBe('wrong signature')
    }
    expect(issuer.keyFetches()).toBe(before)
  })

  it('fetch from a failing issuer once in 30 seconds, and fail at once in between', async () => {
    const token = await issuer.issue(audience, claims)
    issuer.fail(true)
    const before = issuer.fetches()
    const callers = Array.from({ length: 50 }, () => verify(token))
    for (const caller of callers) await expect(caller).rejects.toMatchObject(unreachable(30))
    expect(issuer.fetches() - before).toBe(1)
    expect(warnings).toEqual([expect.stringMatching(/openid-configuration cannot be used: the status is 500$/)])
    runtime.advance(20_000)
    issuer.fail(false)
    await expect(verify(token)).rejects.toMatchObject(unreachable(10))
    expect(issuer.fetches() - before).toBe(1)
    runtime.advance(10_000)
    expect(await verify(token)).toEqual(accepted)
  })

  it('are verified with cached keys of any age while the issuer fails; others are refused', async () => {
    const [jwk] = issuer.keys
    if (jwk === undefined) throw new Error('the issuer has no key')
    const token = await forge(await importJWK(jwk, 'RS256'), jwk.kid ?? '')
    expect(await verify(token)).toEqual(accepted)
    issuer.fail(true)
    const before = issuer.fetches()
    runtime.advance(3_600_000)
    expect(await verify(token)).toEqual(accepted)
    expect(await verify(await strange('unknown'))).toBe('unknown key')
    expect(issuer.fetches() - before).toBe(1)
  })

  it('fetch no keys if another issuer has signed them', async () => {
    const before = issuer.fetches()
    expect(await verify(await strange('unknown', 'https://issuer.example.com'))).toBe('other issuer')
    expect(issuer.fetches()).toBe(before)
  })

  it('wait for a silent issuer only in small numbers; the others fail at once', async () => {
    const silent = await startSilentIssuer()
    try {
      const verifySilent = createVerifier(silent.url)
      const token = await strange('unknown', silent.url)
      let answered = 0
      const callers = Array.from({ length: 100 }, async () => {
        await expect(verifySilent(token)).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' })
        answered++
      })
      await eventually(() => expect([answered, silent.requests()]).toEqual([36, 1]))
      silent.hangUp()
      await Promise.all(callers)
      expect(silent.requests()).toBe(1)
    } finally {
      await silent.stop()
    }
  })

  it('do not wait for an issuer whose key set never ends, and do not ask it again soon', async () => {
    const trickling = await startTricklingIssuer()
    try {
      const verifyTrickling = createVerifier(trickling.url)
      const token = await strange('unknown', trickling.url)
      for (let time = 0; time < 3; time++) await expect(verifyTrickling(token)).rejects.toMatchObject(unreachable(30))
      expect(warnings).toEqual([expect.stringContaining('/keys cannot be used: The operation was aborted')])
    } finally {
      await trickling.stop()
    }
  })
})
