import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { configFromEnvironment } from '../../src/config.js'
import { startTestService, type TestService } from '../support/service.js'

const oidc = {
  issuer: 'https://id.example.com/tenant',
  audience: 'https://svc.example.com',
  organization: undefined,
  emailClaim: 'email',
  emailVerifiedClaim: 'email_verified',
}
/** What a browser loads before it shows anything, compressed. */
const FIRST_SCREEN_BYTES = 300_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const get = (path: string, from = service, headers: Readonly<Record<string, string>> = {}) =>
  from.rest('GET', path, { headers })

/** The files that the page names. */
async function filesOf(from = service): Promise<string[]> {
  const { text } = await get('/console', from)
  return [...text.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
}

const policyWith = (connect: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; ${connect}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('the console over HTTP', () => {
  it.each(['/console', '/console/', '/console/people', '/console/people/user_chidi', '/console/a/b.c'])(
    'answers %s with its page, which nothing else may add to',
    async (path) => {
      const answer = await get(path)
      const headers = Object.fromEntries(answer.headers)
      expect([answer.status, headers]).toEqual([
        200,
        expect.objectContaining({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policyWith("connect-src 'self'"),
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-cache',
          'x-content-type-options': 'nosniff',
        }),
      ])
      expect(headers).not.toHaveProperty('set-cookie')
      expect(answer.text).not.toMatch(/<script>|<style|\s(?:style|on[a-z]+)=/)
    },
  )

  it('serves its files under names of their content, for a year, compressed as the browser can', async () => {
    const files = await filesOf()
    expect(files.length).toBeGreaterThanOrEqual(2)
    for (const path of files) {
      expect(path).toMatch(/^\/console\/assets\/[\w-]+-[\w-]{8}\.(?:js|css|woff2)$/)
      for (const coding of ['br', 'gzip']) {
        const { headers } = await get(path, service, { 'accept-encoding': coding })
        expect([headers.get('cache-control'), headers.get('content-encoding')]).toEqual([
          'public, max-age=31536000, immutable',
          coding,
        ])
      }
    }
  })

  it('loads at most 300 kB before the first screen', async () => {
    const files = await filesOf()
    const sizes = files.map(async (path) => {
      const { headers } = await get(path, service, { 'accept-encoding': 'br' })
      return Number(headers.get('content-length'))
    })
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(0)
    expect(total).toBeLessThanOrEqual(FIRST_SCREEN_BYTES)
  })

  it('knows no other file: 404', async () => {
    expect((await get('/console/assets/main.js')).status).toBe(404)
    expect((await get('/consoles')).status).toBe(404)
  })

  it('can be read, and nothing else: 405', async () => {
    const { status, headers } = await service.rest('POST', '/console')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('gives its script its path, and no issuer where people paste a token', async () => {
    const answer = await get('/console/config.json')
    expect([answer.headers.get('content-type'), answer.json]).toEqual(['application/json', { basePath: '/console' }])
  })

  it('is linked from the index', async () => {
    expect((await get('/')).json).toMatchObject({ links: { console: '/console' } })
  })
})

describe('a console that is configured', () => {
  const start = (config: Parameters<typeof startTestService>[0]) =>
    startTestService({ ...config, testDatabase: service.testDatabase })

  it('may call its issuer, and gives its script the issuer', async () => {
    const config = { oidc, consoleOidcClientId: 'console', consoleOidcScopes: 'openid email' }
    const other = await start({ config })
    try {
      const page = await get('/console', other)
      const policy = policyWith("connect-src 'self' https://id.example.com")
      expect(page.headers.get('content-security-policy')).toBe(policy)
      const { issuer, audience } = oidc
      expect((await get('/console/config.json', other)).json).toEqual({
        basePath: '/console',
        signIn: { issuer, audience, clientId: 'console', scopes: 'openid email' },
      })
    } finally {
      await other.close()
    }
  })

  it('has its files below the path of the public address', async () => {
    const other = await start({ config: { publicUrl: 'https://example.com/svc/' } })
    try {
      expect(await filesOf(other)).toEqual((await filesOf()).map((path) => `/svc${path}`))
      expect((await get('/console/config.json', other)).json).toEqual({ basePath: '/svc/console' })
    } finally {
      await other.close()
    }
  })

  it('is not there where it is turned off', async () => {
    const other = await start({ config: { console: false } })
    try {
      for (const path of ['/console', '/console/people', '/console/config.json', ...(await filesOf())]) {
        expect([path, (await get(path, other)).status]).toEqual([path, 404])
      }
      expect((await get('/', other)).json).not.toHaveProperty('links.console')
    } finally {
      await other.close()
    }
  })

  it.each([
    [{ CONSOLE: 'no' }, 'CONSOLE must be on or off'],
    [{ CONSOLE_OIDC_CLIENT_ID: 'console' }, 'CONSOLE_OIDC_CLIENT_ID needs OIDC_ISSUER'],
    [{ CONSOLE_OIDC_SCOPES: 'email' }, 'CONSOLE_OIDC_SCOPES must be scopes with single spaces between them, openid'],
    [{ CONSOLE_OIDC_SCOPES: 'openid,email' }, 'CONSOLE_OIDC_SCOPES must be scopes with single spaces between them'],
  ])('is refused as %j', (environment, message) => {
    expect(() => configFromEnvironment(environment)).toThrow(message)
  })
})
