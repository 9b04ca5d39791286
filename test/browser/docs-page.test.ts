import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { services } from '../../src/handlers/routes.js'
import { scimRoutes } from '../../src/scim/routes.js'
import { findingsOf } from '../support/axe.js'
import { launchBrowser } from '../support/browser.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { readOpenApi } from '../support/json-schemas.js'
import { startTestService, type TestService } from '../support/service.js'

/** Less than a test may take, so that its error names what it waits for. */
const WAIT_MILLIS = 120_000

let service: TestService
let browser: Browser
/** One for all tabs, so that the browser compiles the viewer once. */
let context: BrowserContext
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  browser = await launchBrowser()
  context = await browser.newContext()
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

let page: Page
let complaints: string[] = []
let requested: string[] = []
/** Opens a tab that knows no token yet. */
async function openTab(): Promise<void> {
  page = await context.newPage()
  page.setDefaultTimeout(WAIT_MILLIS)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => requested.push(request.url()))
}
const closeTab = () => page.close()
// Whatever a test has done, the page has not complained, and has asked no other host.
afterEach(() => {
  const said = [complaints, requested.filter((url) => !url.startsWith(service.baseUrl) && !url.startsWith('data:'))]
  complaints = []
  requested = []
  expect(said).toEqual([[], []])
})

const modes = ['dark', 'light'] as const

/** Colours do not depend on the width, nor places on the mode: each of both is looked at once. */
async function show(mode: (typeof modes)[number], width: number): Promise<void> {
  await page.emulateMedia({ colorScheme: mode })
  await page.setViewportSize({ width, height: 844 })
}

async function openDocs(fragment = ''): Promise<void> {
  await openTab()
  await page.goto(`${service.baseUrl}/docs${fragment}`)
  await page.locator('.opblock-tag').first().waitFor()
}

const documents = [readOpenApi(), readOpenApi('scim')]
const tagsOf = ({ paths }: (typeof documents)[number]) =>
  Object.entries<Record<string, { tags?: string[] }>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { tags = [] }]) => [`${method} ${path}`, tags[0] ?? ''] as const),
  )
/** The tag of each operation, by its method and path. */
const tags = new Map(documents.flatMap(tagsOf))

const heading = (tag: string) => page.locator(`.opblock-tag[data-tag="${tag}"]`)
async function openTag(tag: string): Promise<void> {
  if ((await heading(tag).getAttribute('data-is-open')) === 'false') await heading(tag).click()
}

const operation = (method: string, path: string) =>
  page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) })

async function openOperation(method: string, path: string) {
  await openTag(tags.get(`${method} ${path}`) ?? '')
  const opened = operation(method, path)
  await opened.locator('.opblock-summary-control').click()
  await opened.locator('.responses-table').first().waitFor()
  return opened
}

/** Each method, with parameters, with a body of JSON, and with a form. */
async function openEachKind(): Promise<void> {
  await openOperation('get', '/v2/audit-events')
  await openOperation('post', '/v2/users')
  await openOperation('put', '/v2/users/{id}')
  await openOperation('patch', '/v2/priorities/{id}')
  await openOperation('delete', '/v2/user-relationships/{user_id}')
  await openOperation('post', '/v2/auth/token')
}

/** Sends the request of an operation as the page has it, and answers the header with which it came. */
async function execute(method: string, path: string): Promise<string | undefined> {
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === path)
  await operation(method, path).getByRole('button', { name: 'Execute' }).click()
  await operation(method, path).locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
  return (await asked).headers()['authorization']
}

const insertToken = () => insertUserToken(service.database, { userId: fixture.users.manager })
const tokenInput = () => page.getByLabel('Access token', { exact: true })
const tokenState = () => page.getByRole('status').textContent()

async function useToken(token: string): Promise<void> {
  await tokenInput().fill(token)
  await page.getByRole('button', { name: 'Use', exact: true }).click()
}

// An operation with an answer has a button of the same name.
const clearToken = () => page.getByRole('banner').getByRole('button', { name: 'Clear' }).click()

describe.each(['/', '/docs/guides', '/docs/guides/operating.md'])('the page %s in a browser', (path) => {
  beforeAll(async () => {
    await openTab()
    await page.goto(`${service.baseUrl}${path}`)
  })
  afterAll(closeTab)

  it.each([
    ['light', 390],
    ['dark', 1280],
  ] as const)('passes axe and fits the viewport (%s, %i pixels)', async (mode, width) => {
    await show(mode, width)
    expect(await findingsOf(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })
})

// The viewer starts slowly: one page serves the tests that do not test its start, in this order or one by one.
describe('the reference page in a browser', () => {
  beforeAll(() => openDocs())
  afterAll(closeTab)

  it('lists every service', async () => {
    const shown = await page
      .locator('.opblock-tag')
      .evaluateAll((all: { dataset: { tag: string } }[]) => all.map(({ dataset }) => dataset.tag))
    const named = services.map(({ name }) => name.replace(/Service$/, '').toLowerCase())
    expect(shown.map((tag) => tag.replaceAll(' ', '').toLowerCase()).sort()).toEqual(named.sort())
  })

  it('begins with a labelled field that explains where a token comes from', async () => {
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe(await tokenInput().getAttribute('id'))
    const help = await page.locator('#token-help').textContent()
    expect(help).toContain('npx svc tokens create')
    await page.getByRole('link', { name: 'POST /v2/auth/token' }).click()
    await operation('post', '/v2/auth/token').locator('.responses-table').waitFor()
  })

  it('lists every operation of a service that is opened', async () => {
    await heading('Auth').click()
    await operation('post', '/v2/auth/token').waitFor({ state: 'detached' })
    await openTag('Journey')
    await page.locator('.opblock').first().waitFor()
    const { methods = [] } = services.find(({ name }) => name === 'JourneyService') ?? {}
    expect(await page.locator('.opblock').count()).toBe(methods.length)
    await heading('Journey').click()
  })

  it.each(modes)('shows the keyboard focus at every step, from the token to a response (%s)', async (mode) => {
    await page.emulateMedia({ colorScheme: mode })
    await useToken(await insertToken())
    await tokenInput().focus()
    const focused = `(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
      const isShown = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      const named = document.activeElement.closest('.opblock-tag') ?? document.activeElement
      return (isShown ? '' : 'hidden ') + named.textContent
    })()`
    const passed: string[] = []
    const tabTo = async (text: string) => {
      for (let stop = 0; stop < 600 && !passed.at(-1)?.includes(text); stop++) {
        await page.keyboard.press('Tab')
        passed.push(await page.evaluate<string>(focused))
      }
      await page.keyboard.press('Enter')
    }
    await tabTo('Caller')
    await operation('get', '/v2/caller').waitFor()
    await tabTo('/v2/caller')
    // The viewer shows the button before it knows the operation.
    await operation('get', '/v2/caller').locator('.responses-table').first().waitFor()
    await tabTo('Execute')
    await operation('get', '/v2/caller').locator('.live-responses-table').waitFor()
    await operation('get', '/v2/caller').locator('.opblock-summary-control').click()
    await heading('Caller').click()
    expect(passed.filter((text) => text.startsWith('hidden'))).toEqual([])
  })

  it('follows the color scheme of the system until it is switched with a button', async () => {
    const brightness = async () => {
      const color = await page.evaluate('getComputedStyle(document.querySelector(".swagger-ui .info .title")).color')
      return Number(/\d+/.exec(String(color))?.[0])
    }
    const expectMode = async (mode: (typeof modes)[number]) => {
      await page.locator(mode === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor({ state: 'attached' })
      // Light text on dark, dark text on light.
      expect((await brightness()) > 128).toBe(mode === 'dark')
    }
    for (const mode of modes) {
      await page.emulateMedia({ colorScheme: mode })
      await expectMode(mode)
    }
    await page.locator('#theme').click()
    await expectMode('dark')
    await page.locator('#theme').click()
    await expectMode('light')
  })

  it("shares one token between the page's form and the viewer's dialog", async () => {
    await clearToken()
    const token = await insertToken()
    await page.locator('.btn.authorize').click()
    const dialog = page.getByRole('dialog', { name: 'Available authorizations' })
    await dialog.locator('#auth-bearer-value').fill(token)
    await dialog.getByRole('button', { name: 'Authorize' }).first().click()
    expect([await tokenInput().inputValue(), await tokenState()]).toEqual([token, 'Calls carry this token.'])
    await dialog.getByRole('button', { name: 'Logout' }).click()
    expect([await tokenInput().inputValue(), await tokenState()]).toEqual(['', 'Calls carry no token.'])
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click()
    await useToken(token)
    await page.locator('.btn.authorize').click()
    await dialog.getByRole('button', { name: 'Logout' }).waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click()
  })

  it.each(['hunter2', 'svc_secret_pk_0', 'a.b'])('rejects %j as a token', async (pasted) => {
    await clearToken()
    await useToken(pasted)
    expect(await tokenState()).toContain('Not used: an access token begins with svc_token_ or svc_user_, or is a JWT')
    expect(await page.evaluate('sessionStorage.getItem("accessToken")')).toBe(null)
    await clearToken()
  })

  it("rejects an invalid token in the viewer's dialog too, and accepts a token after it", async () => {
    await page.locator('.btn.authorize').click()
    const dialog = page.getByRole('dialog', { name: 'Available authorizations' })
    await dialog.locator('#auth-bearer-value').fill('hunter2')
    await dialog.getByRole('button', { name: 'Authorize' }).first().click()
    expect(await dialog.locator('.errors').textContent()).toContain('Not used: an access token begins with')
    expect(await page.evaluate('sessionStorage.getItem("accessToken")')).toBe(null)
    await dialog.locator('#auth-bearer-value').fill(await insertToken())
    await dialog.getByRole('button', { name: 'Authorize' }).first().click()
    await dialog.getByRole('button', { name: 'Logout' }).click()
    expect(await dialog.locator('.errors').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click()
  })

  it('links to the guides, and not to itself', async () => {
    const targets = await page
      .locator('#viewer .info a')
      .evaluateAll((links: { href: string }[]) => links.map(({ href }) => href))
    expect(targets).toContain(`${service.baseUrl}/docs/guides`)
    expect(targets).not.toContain(`${service.baseUrl}/docs`)
  })

  it('makes a successful call with a token', async () => {
    await useToken(await insertToken())
    const opened = await openOperation('patch', '/v2/priorities/{id}')
    await opened.locator('.parameters input').first().fill(fixture.priorities.it)
    await opened.locator('textarea.body-param__text').fill('{"name": "From the page"}')
    const answered = page.waitForResponse((response) => response.url().includes('/v2/priorities/'))
    await opened.getByRole('button', { name: 'Execute' }).click()
    const answer = await answered
    expect(answer.status()).toBe(200)
    expect(await answer.json()).toMatchObject({ data: { id: fixture.priorities.it, name: 'From the page' } })
    await opened.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
  })

  it('keeps the token across a reload, in this tab only, until it is cleared', async () => {
    const token = await insertToken()
    await clearToken()
    await useToken(` Bearer ${token}\n`)
    await page.reload()
    await openOperation('get', '/v2/department-options')
    expect(await execute('get', '/v2/department-options')).toBe(`Bearer ${token}`)
    expect([await tokenInput().inputValue(), await tokenState()]).toEqual([token, 'Calls carry this token.'])
    expect(await tokenInput().getAttribute('type')).toBe('password')
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0)

    const other = await page.context().newPage()
    await other.goto(page.url())
    expect(await other.getByLabel('Access token', { exact: true }).inputValue()).toBe('')
    await other.close()

    await clearToken()
    expect([await tokenInput().inputValue(), await tokenState()]).toEqual(['', 'Calls carry no token.'])
    expect(await page.locator('.authorization__btn.locked, .btn.authorize.locked').count()).toBe(0)
    await page.reload()
    await page.locator('.opblock-tag').first().waitFor()
    expect(await tokenInput().inputValue()).toBe('')
    expect(await page.locator('.btn.authorize.locked').count()).toBe(0)
  })
})

describe('the reference page in a browser, opened by address', () => {
  beforeAll(() => openDocs('#/Auth/createToken'))
  afterAll(closeTab)

  it('opens the operation in its address, also when the address changes later', async () => {
    await operation('post', '/v2/auth/token').locator('.responses-table').waitFor()
    await page.evaluate('location.hash = "#/Journey/getJourney"')
    await operation('get', '/v2/journeys/{id}').locator('.responses-table').waitFor()
  })

  describe('and left for the page of SCIM', () => {
    const secretInput = () => page.getByLabel('Management key', { exact: true })
    beforeAll(async () => {
      await page.getByRole('link', { name: 'SCIM', exact: true }).click()
      await page.waitForURL('**/docs/scim')
      await page.locator('.opblock-tag').first().waitFor()
    })

    it('lists every SCIM operation', async () => {
      for (const tag of new Set(tagsOf(documents[1]).map(([, each]) => each))) await openTag(tag)
      await operation('get', '/scim/v2/Schemas').waitFor()
      expect(await page.locator('.opblock').count()).toBe(scimRoutes.length)
    })

    it('makes a call with a key, which it keeps separate from an access token', async () => {
      const { secret } = await insertApiKey(service.database, { organizationId: fixture.acme, kind: 'mk' })
      await secretInput().fill(secret)
      await page.getByRole('button', { name: 'Use', exact: true }).click()
      await openOperation('get', '/scim/v2/Groups')
      const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/scim/v2/Groups')
      await operation('get', '/scim/v2/Groups').locator('[data-param-name=filter] input').fill('')
      await operation('get', '/scim/v2/Groups').getByRole('button', { name: 'Execute' }).click()
      expect((await asked).headers()['authorization']).toBe(`Bearer ${secret}`)
      await operation('get', '/scim/v2/Groups').locator('.live-responses-table', { hasText: 'totalResults' }).waitFor()
      expect(await page.evaluate('sessionStorage.getItem("accessToken")')).toBe(null)
    })

    it('fits 390 pixels, and passes axe (light, 390 pixels; dark, 1280 pixels)', async () => {
      await openOperation('post', '/scim/v2/Users')
      await openOperation('patch', '/scim/v2/Users/{id}')
      await show('light', 390)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(await findingsOf(page)).toEqual([])
      await show('dark', 1280)
      expect(await findingsOf(page)).toEqual([])
    })
  })
})

describe('the reference page in a browser, with an operation of each kind open', () => {
  beforeAll(async () => {
    await openDocs()
    await useToken(await insertToken())
    await openOperation('get', '/v2/department-options')
    await execute('get', '/v2/department-options')
    await openEachKind()
  })
  afterAll(closeTab)

  it('fits 390 pixels', async () => {
    await show('light', 390)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    const outside = `[...document.querySelectorAll('button, input, select, textarea, a, td, h3, h4, pre')]
      .filter((element) => element.getBoundingClientRect().right > 390).map((element) => element.outerHTML)`
    expect(await page.evaluate(outside)).toEqual([])
    // The tags, and what they say of themselves, have room for words.
    const squeezed = `[...document.querySelectorAll('.opblock-tag :is(a, small)')]
      .filter((element) => element.getBoundingClientRect().width < 200).map((element) => element.textContent)`
    expect(await page.evaluate(squeezed)).toEqual([])
  })

  // No rule and no part of the page is left out: what the viewer lacks is mended from outside.
  it('passes axe, whatever is open (light, 390 pixels; dark, 1280 pixels)', async () => {
    const update = operation('put', '/v2/users/{id}')
    await update.getByRole('tab', { name: 'Schema' }).first().click()
    await update.getByRole('button', { name: 'Expand all' }).first().click()
    await page.locator('.models-control').click()
    await show('light', 390)
    expect(await findingsOf(page)).toEqual([])
    await show('dark', 1280)
    expect(await findingsOf(page)).toEqual([])
    await page.locator('.btn.authorize').click()
    await page.getByRole('dialog').waitFor()
    expect(await findingsOf(page, '.dialog-ux')).toEqual([])
    await show('light', 390)
    expect(await findingsOf(page, '.dialog-ux')).toEqual([])
  })
})
