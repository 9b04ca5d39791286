import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { generateKeyPair, SignJWT } from 'jose'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { type SilentIssuer, startSilentIssuer } from '../support/oidc-issuer.js'
import { startTestService, type TestService } from '../support/service.js'

const path = `/v2/app-instances?teamId=${fixture.it}`

describe('a silent OpenID Connect issuer', () => {
  let issuer: SilentIssuer
  let service: TestService
  beforeAll(async () => {
    issuer = await startSilentIssuer()
    const claims = { emailClaim: 'email', emailVerifiedClaim: 'email_verified' }
    service = await startTestService({
      config: {
        oidc: { issuer: issuer.url, audience: 'svc', organization: undefined, ...claims },
        maxRunningCalls: 100,
      },
    })
    await insertFixture(service.database)
  })
  afterAll(async () => {
    await service.stop()
    await issuer.stop()
  })

  it('does not slow down callers with keys, however many bogus tokens wait for it', async () => {
    const { token } = await insertApiKey(service.database, { organizationId: fixture.acme })
    const { privateKey } = await generateKeyPair('RS256')
    const bogus = await new SignJWT({ iss: issuer.url })
      .setProtectedHeader({ alg: 'RS256', kid: 'bogus' })
      .sign(privateKey)
    const strangers = Array.from({ length: 300 }, () => fetch(service.baseUrl + path, headersOf(bogus)))
    const refused = () => service.logLines.filter((line) => line.includes('issuer unreachable')).length
    // 64 wait for the issuer, and the others have been answered.
    await eventually(() => expect(refused()).toBe(300 - 64))
    for (let time = 0; time < 20; time++) {
      expect((await fetch(service.baseUrl + path, headersOf(token))).status).toBe(200)
    }
    expect(refused()).toBe(300 - 64)
    issuer.hangUp()
    for (const answer of await Promise.all(strangers)) {
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true])
    }
    expect(issuer.requests()).toBe(1)
  })
})

function headersOf(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } }
}
