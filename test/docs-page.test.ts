import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { services } from '../src/handlers/routes.js'
import { launchBrowser } from './support/browser.js'
import { fixture, insertFixture, insertUserToken } from './support/fixture.js'
import { startTestService, type TestService } from './support/service.js'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
})
afterAll(() => service.stop())

describe('the reference page in a browser', () => {
  let browser: Browser
  let page: Page
  let complaints: string[]
  let requested: string[]
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    page = await browser.newPage()
    complaints = []
    requested = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => requested.push(request.url()))
    await page.goto(`${service.baseUrl}/docs`)
    await page.locator('.opblock').first().waitFor()
  })
  afterEach(() => page.close())

  const outside = () => requested.filter((url) => !url.startsWith(service.baseUrl) && !url.startsWith('data:'))

  it('lists every operation, without an error and without a request to another host', async () => {
    const shown = await page.locator('.opblock').count()
    expect(shown).toBe(services.flatMap((each) => each.methods).length)
    expect(await page.locator('.opblock-summary-path').allTextContents()).toContain(
      '/v2/journeys/{id}'.replace(/\//g, '/'),
    )
    expect(complaints).toEqual([])
    expect(outside()).toEqual([])
  })

  it('makes a call with a token that succeeds', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.auth-container input[type=text]').first().fill(token)
    await page.locator('.auth-container').first().getByRole('button', { name: 'Apply credentials' }).click()
    await page.getByRole('button', { name: 'Close' }).first().click()
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/v2/priorities/{id}"]') })
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.parameters input').first().fill(fixture.priorities.it)
    await operation.locator('textarea.body-param__text').fill('{"name": "From the page"}')
    const answered = page.waitForResponse((response) => response.url().includes('/v2/priorities/'))
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = await answered
    expect(answer.status()).toBe(200)
    expect(await answer.json()).toMatchObject({ data: { id: fixture.priorities.it, name: 'From the page' } })
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    expect(complaints).toEqual([])
    expect(outside()).toEqual([])
  })

  it.each(['dark', 'light'] as const)(
    'is %s where the system is, and switches at the press of a button',
    async (mode) => {
      await page.emulateMedia({ colorScheme: mode })
      const isDark = () => page.evaluate('document.documentElement.classList.contains("dark-mode")')
      const brightness = async () => {
        const color = await page.evaluate('getComputedStyle(document.querySelector(".swagger-ui .info .title")).color')
        return Number(/\d+/.exec(String(color))?.[0])
      }
      await page.waitForFunction(`document.documentElement.classList.contains('dark-mode') === ${mode === 'dark'}`)
      // Light text on dark, dark text on light.
      expect((await brightness()) > 128).toBe(mode === 'dark')
      await page.locator('#theme').click()
      expect(await isDark()).toBe(mode === 'light')
      expect((await brightness()) > 128).toBe(mode === 'light')
    },
  )
})

describe('the pages', () => {
  it('forbid every other host and every inline script', async () => {
    const { headers } = await service.rest('GET', '/docs')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('index the service for programs', async () => {
    const { status, json } = await service.rest('GET', '/')
    expect(status).toBe(200)
    expect(json).toMatchObject({ name: 'svc', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    for (const path of Object.values<string>(json.links)) {
      expect([path, (await service.rest('GET', path)).status]).toEqual([path, 200])
    }
  })

  it('index the service for people', async () => {
    const answer = await service.rest('GET', '/', { headers: { accept: 'text/html,*/*' } })
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('vary')).toContain('accept')
    expect(answer.text).toContain('<a href="/docs">')
  })

  it('answer HEAD like GET without the body, and other methods with 405', async () => {
    const get = await service.rest('GET', '/docs', { headers: { 'accept-encoding': 'identity' } })
    const head = await service.rest('HEAD', '/docs', { headers: { 'accept-encoding': 'identity' } })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
    const post = await service.rest('POST', '/docs')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await service.rest('OPTIONS', '/docs')).status).toBe(204)
  })

  it.each([
    ['gzip', true],
    ['gzip;q=0', false],
    ['gzip;q=0.5, br', true],
    ['x-gzip', false],
    ['identity', false],
  ])('are compressed for Accept-Encoding %s: %s', async (accepted, zipped) => {
    const answer = await service.rest('GET', '/v2/openapi.json', { headers: { 'accept-encoding': accepted } })
    expect(answer.headers.get('content-encoding')).toBe(zipped ? 'gzip' : null)
    expect(answer.json.openapi).toBe('3.1.0')
  })
})
