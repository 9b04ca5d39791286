import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { services } from '../../src/handlers/routes.js'
import { launchBrowser } from '../support/browser.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

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
    expect(await page.locator('.opblock-summary-path').allTextContents()).toContain('/v2/journeys/{id}')
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
      await page.locator(mode === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor({ state: 'attached' })
      // Light text on dark, dark text on light.
      expect((await brightness()) > 128).toBe(mode === 'dark')
      await page.locator('#theme').click()
      expect(await isDark()).toBe(mode === 'light')
      expect((await brightness()) > 128).toBe(mode === 'light')
    },
  )
})
