import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { importRecords } from '../../src/transfer/import-records.js'
import { launchBrowser } from './browser.js'
import { insertUserToken } from './fixture.js'
import { startTestService, type TestService, type TestServiceOptions } from './service.js'
import type { Sql } from './sql.js'

/** Less than a test may take, so that its error names what it waits for. */
const WAIT_MILLIS = 120_000

/** How the console is looked at. */
export interface ConsoleView {
  readonly mode?: 'light' | 'dark'
  readonly width?: number
}

/** A page of the console. */
export interface ConsolePage {
  readonly page: Page
  /** Errors and warnings of the browser, which reports what the policy forbids among them. */
  readonly complaints: string[]
  /** The addresses that were asked for. */
  readonly requested: string[]
  /** Goes to an address of the console as a link does, which keeps the sign-in. */
  go(path: string): Promise<void>
  close(): Promise<void>
}

/** The service with the demo organization, and its console in a browser. */
export interface TestConsole {
  readonly service: TestService
  /** A token of somebody of the demo; default: an administrator. */
  token(userId?: string): Promise<string>
  /** Opens an address of the console, signed in with a token if one is given. */
  open(path: string, token?: string, view?: ConsoleView): Promise<ConsolePage>
  stop(): Promise<void>
}

/** Gives the demo organization 100,000 people and 10,000 app instances more, after its own. */
export async function fillDemo(database: Sql): Promise<void> {
  // In parts, each in the memory of a coordinator.
  for (let from = 1; from < 100_000; from += 10_000) {
    const numbers = `generate_series(${from}, ${from + 9_999}) n`
    await database.execute(
      `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name, department)
       SELECT 'org_acme', 'bulk_' || n, n || '@bulk.example', 'Person', n,
              'Department ' || n % 40 FROM ${numbers}`,
    )
  }
  await database.execute(
    `INSERT INTO app_instances (id, organization_id, team_id, name)
     SELECT 'bulk_' || n, 'org_acme', 'team_it', 'Service ' || n FROM generate_series(1, 10000) n`,
  )
  await database.execute('ANALYZE')
}

/** Gives the demo organization what its screens have room for: keys, a webhook endpoint, and a department that was changed. */
export async function addForScreens({ service, token }: TestConsole): Promise<void> {
  const send = async (method: string, path: string, json: object) =>
    service.rest(method, path, { token: await token(), json })
  for (const name of ['Deploy pipeline', 'Reports']) {
    await send('POST', '/v2/api-keys', { name, permissions: ['users:read', 'apps:write'] })
  }
  await send('POST', '/v2/webhook-endpoints', { url: 'https://hooks.invalid/svc', types: ['priority.update'] })
  await send('PUT', '/v2/users/user_chidi', { department: 'Sales' })
}

/** Starts the service with the demo organization, and a browser, whose clock is that of a time zone if one is given. */
export async function startTestConsole(options: TestServiceOptions = {}, timezoneId?: string): Promise<TestConsole> {
  const [browser, service] = await Promise.all([launchBrowser(), startTestService(options)])
  const demo = createReadStream(join(import.meta.dirname, '../../demo/organization.ndjson'))
  await importRecords(service.database, demo, { runtime: service.runtime })
  // One for all pages, so that the browser compiles the console once.
  const context = await browser.newContext({ locale: 'en-GB', ...(timezoneId !== undefined && { timezoneId }) })
  return {
    service,
    token: (userId = 'user_ada') => insertUserToken(service.database, { userId, organizationId: 'org_acme' }),
    open: async (path, token, { mode = 'light', width = 1280 } = {}) => {
      const page = await context.newPage()
      await page.emulateMedia({ colorScheme: mode })
      await page.setViewportSize({ width, height: 844 })
      page.setDefaultTimeout(WAIT_MILLIS)
      const [complaints, requested]: [string[], string[]] = [[], []]
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('request', (request) => requested.push(request.url()))
      await page.goto(`${service.baseUrl}/console${path}${token === undefined ? '' : `#token=${token}`}`)
      // Before the first screen is drawn, nothing listens to where the reader goes.
      await page.locator('h1').first().waitFor()
      const go = async (next: string) => {
        const address = JSON.stringify(`/console${next}`)
        await page.evaluate(`history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
      }
      return { page, complaints, requested, go, close: () => page.close() }
    },
    stop: async () => {
      await context.close()
      await service.stop()
      await browser.close()
    },
  }
}
