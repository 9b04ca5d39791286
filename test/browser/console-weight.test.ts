import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { addForScreens, startTestConsole, type TestConsole } from '../support/console.js'
import { eventually } from '../support/eventually.js'

/** What a screen may weigh that is opened first: the page, its scripts, styles and fonts, as they are sent. */
const MAX_BYTES = 300_000

const list = join(import.meta.dirname, '../support/console-screens.json')
const screens: readonly { readonly path: string; readonly shows: string }[] = JSON.parse(readFileSync(list, 'utf8'))

let console: TestConsole
let browser: Browser
beforeAll(async () => {
  ;[console, browser] = await Promise.all([startTestConsole(), launchBrowser()])
  await addForScreens(console)
})
afterAll(async () => {
  await browser.close()
  await console.stop()
})

it.each(screens)('weighs at most 300 kB where $path is opened first', async ({ path, shows }) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const isFile = (url: string) => url.includes('/console')
  const files = new Map<string, number>()
  page.on('request', (request) => isFile(request.url()) && files.set(request.url(), Number.NaN))
  page.on('requestfinished', async (request) => {
    if (isFile(request.url())) files.set(request.url(), (await request.sizes()).responseBodySize)
  })
  await page.goto(`${console.service.baseUrl}/console${path}#token=${await console.token()}`)
  await page.getByText(shows).first().waitFor()
  await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready')
  await eventually(() => expect([...files].filter(([, bytes]) => Number.isNaN(bytes))).toEqual([]))
  const bytes = [...files.values()].reduce((sum, each) => sum + each, 0)
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  // Nothing is weighed that is missing.
  expect(bytes).toBeGreaterThan(150_000)
  await context.close()
})
