import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { findingsOf } from '../support/axe.js'
import { launchBrowser } from '../support/browser.js'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'

/** A screen with the demo organization: where it is, its title, and a text that it shows. */
interface ConsoleScreen {
  readonly path: string
  readonly title: string
  readonly shows: string
}

const list = join(import.meta.dirname, '../support/console-screens.json')
const consoleScreens: readonly ConsoleScreen[] = JSON.parse(readFileSync(list, 'utf8'))

let browser: Browser
let console: TestConsole
let opened: ConsolePage
beforeAll(async () => {
  browser = await launchBrowser()
  console = await startTestConsole(browser)
  const token = await console.token()
  for (const name of ['Deploy pipeline', 'Reports']) {
    const permissions = ['users:read', 'apps:write']
    await console.service.rest('POST', '/v2/api-keys', { token, json: { name, permissions } })
  }
  const endpoint = { url: 'https://hooks.invalid/svc', types: ['priority.update'] }
  await console.service.rest('POST', '/v2/webhook-endpoints', { token, json: endpoint })
  await console.service.rest('PUT', '/v2/users/user_chidi', { token, json: { department: 'Sales' } })
  opened = await console.open('/people', token)
  await opened.page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
})
afterAll(async () => {
  await console.stop()
  await browser.close()
})

/** Goes to a screen as a link does, which keeps the sign-in. */
async function go(path: string): Promise<void> {
  const address = JSON.stringify(`/console${path}`)
  await opened.page.evaluate(`history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
}

describe('the console', () => {
  it.each(consoleScreens)(
    'shows $title, which passes axe and fits the window in both modes and widths',
    async (screen) => {
      const { page } = opened
      await page.setViewportSize({ width: 1280, height: 844 })
      await page.emulateMedia({ colorScheme: 'light' })
      await go(screen.path)
      await page.getByRole('heading', { level: 1, name: screen.title, exact: true }).waitFor()
      await page.getByText(screen.shows).first().waitFor()
      await page.getByLabel('Loading').waitFor({ state: 'detached' })
      expect(await findingsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
      await page.setViewportSize({ width: 390, height: 844 })
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await findingsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(opened.complaints).toEqual([])
    },
  )

  it('shows an endpoint with its deliveries, and what its receiver says to a test', async () => {
    const { page } = opened
    await page.setViewportSize({ width: 1280, height: 844 })
    await page.emulateMedia({ colorScheme: 'light' })
    await go('/webhooks')
    await page.getByRole('link', { name: 'https://hooks.invalid/svc' }).click()
    await page.getByText('Nothing is late').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('hooks.invalid cannot be resolved').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Close' }).click()
    expect(opened.complaints).toEqual([])
  })

  it('shows the secret of a new endpoint once', async () => {
    const { page } = opened
    await go('/webhooks')
    await page.getByRole('button', { name: 'Create a webhook endpoint' }).click()
    await page.getByLabel('Url').fill('https://other.invalid/svc')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('heading', { level: 1, name: 'https://other.invalid/svc' }).waitFor()
    expect(await page.getByText(/^whsec_/).count()).toBe(0)
  })
})
