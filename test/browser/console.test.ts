import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { findingsOf } from '../support/axe.js'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { insertRow, insertUser, insertUserToken } from '../support/fixture.js'
import { openPalette } from '../support/keyboard.js'

let console: TestConsole
let token: string
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
})
afterAll(() => console.stop())

const opened: ConsolePage[] = []
const open = async (path: string, given: string | undefined = token) => {
  const each = await console.open(path, given)
  opened.push(each)
  return each.page
}
const openSignedOut = async (path: string) => {
  const each = await console.open(path)
  opened.push(each)
  return each.page
}
// Whatever a test has done: the policy was kept, no other host was asked, and no token is where others can find it.
afterEach(async () => {
  for (const { page, complaints, requested, close } of opened.splice(0)) {
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
    )
    expect(stored).not.toMatch(/svc_user_/)
    expect(requested.filter((url) => !url.startsWith(console.service.baseUrl) || url.includes('svc_user_'))).toEqual([])
    expect(complaints).toEqual([])
    await close()
  }
})

describe('signing in to the console', () => {
  it('takes the token of a link, removes it from the address at once and shows the link’s screen', async () => {
    const page = await open('/people?department=IT')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(page.url()).toBe(`${console.service.baseUrl}/console/people?department=IT`)
    expect(await page.getByRole('link', { name: 'Luca Ferri' }).count()).toBe(0)
  })

  it('takes a pasted token, and says what cannot be one', async () => {
    const page = await openSignedOut('/people')
    await page.getByLabel('Token').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByLabel('Token').fill('hunter2')
    await page.getByRole('button', { name: 'Use this token' }).click()
    await page.getByRole('alert').filter({ hasText: 'A token begins with svc_user_' }).waitFor()
    await page.getByLabel('Token').fill(` Bearer ${token}\n`)
    await page.getByRole('button', { name: 'Use this token' }).click()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
  })

  it('takes tokens of organizations with ids of every length, until a letter is missing', async () => {
    const { page, close } = await console.open('/people')
    for (const length of [1, 15, 16, 32, 128]) {
      const organizationId = 'o'.repeat(length)
      await insertRow(console.service.database, 'organizations', { id: organizationId, name: 'Other' })
      await insertUser(console.service.database, { id: `user-${length}`, organizationId })
      const whole = await insertUserToken(console.service.database, { userId: `user-${length}`, organizationId })
      await page.getByLabel('Token').fill(whole.slice(0, -1))
      await page.getByRole('button', { name: 'Use this token' }).click()
      await page.getByRole('alert').filter({ hasText: 'A part of this token is missing' }).waitFor()
      await page.getByLabel('Token').fill(whole)
      await page.getByRole('button', { name: 'Use this token' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Token').waitFor()
    }
    await close()
  })

  it('knows nobody after a reload, and signs out in every tab', async () => {
    const page = await open('/people')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    const other = await open('/people')
    await other.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    for (const each of [page, other]) await each.getByRole('button', { name: 'Use this token' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Use this token' }).waitFor()
  })
})

describe('people in the console', () => {
  it('are found by the keyboard alone, and opened with Ctrl-K', async () => {
    const page = await open('/people')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await openPalette(page)
    await page.keyboard.type('chid')
    await page.getByRole('option', { name: /Chidi Okafor/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Chidi Okafor' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/people/user_chidi')
  })

  it('have their filters in the address', async () => {
    const page = await open('/people')
    await page.getByLabel('Name or email').fill('chi')
    await page.getByRole('status').filter({ hasText: '1 in all' }).waitFor()
    await page.getByLabel('State').selectOption('all')
    expect(new URL(page.url()).search).toBe('?q=chi&state=all')
  })
})

describe('a person in the console', () => {
  it('shows why a write was skipped, since when, and who owns each field', async () => {
    const json = { department: 'Sales', timezone: 'Europe/Paris' }
    await console.service.rest('PUT', '/v2/users/user_chidi', { token, json })
    const page = await open('/people/user_chidi')
    const row = page.getByRole('row', { name: /^Department/ })
    await row.getByText('so only the directory can change it').waitFor()
    expect(await row.textContent()).toMatch(/DepartmentIT.*Skipped.*Ada Lindqvist.*Directory2 Jun 2025/)
    const pinned = page.getByRole('row', { name: /^Time zone/ })
    expect(await pinned.textContent()).toMatch(/Time zoneEurope\/Paris.*Pinned.*Ada Lindqvist/)
  })

  it('is changed after its changes were shown, with its version and a key of its own', async () => {
    const page = await open('/people/user_hanna')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Job title', { exact: true }).fill('Lead recruiter')
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change Hanna Schulz' })
    expect(await dialog.getByRole('row', { name: /^Job title/ }).textContent()).toBe('Job titleRecruiterLead recruiter')
    const sent = page.waitForRequest((request) => request.url().endsWith('/UpdateUser'))
    await dialog.getByRole('button', { name: 'Save' }).click()
    const headers = (await sent).headers()
    expect(headers['if-match']).toMatch(/^".+"$/)
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
    await page.getByRole('row', { name: /^Job title Lead recruiter Pinned/ }).waitFor()
  })

  it('shows both versions where somebody else was faster, and loses nothing that was typed', async () => {
    const page = await open('/people/user_goro')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Job title', { exact: true }).fill('From the console')
    await page.getByRole('button', { name: 'Review' }).click()
    const json = { jobTitle: 'From elsewhere' }
    expect(await console.service.rest('PUT', '/v2/users/user_goro', { token, json })).toMatchObject({ status: 200 })
    await page.getByRole('button', { name: 'Save' }).click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this' })
    await conflict.waitFor()
    const row = await conflict.getByRole('row', { name: /^Job title/ }).textContent()
    expect(row).toBe('Job titlePeople PartnerFrom elsewhereFrom the console')
    await page.getByRole('button', { name: 'Go on from the newest version' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^Job title From the console/ }).waitFor()
    // The browser logs each answer that is an error.
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('409')])
  })

  it('keeps what was typed when the token ends, and saves it after the next sign-in', async () => {
    const ending = await console.token()
    const page = await open('/people/user_jonas', ending)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Job title', { exact: true }).fill('Typed before the end')
    await page.getByRole('button', { name: 'Review' }).click()
    await console.service.rest('POST', '/v2/auth/revoke', { form: { secret: ending } })
    await page.getByRole('button', { name: 'Save' }).click()
    const again = page.getByRole('dialog', { name: 'Your sign-in has ended' })
    await again.getByLabel('Token').fill(token)
    await again.getByRole('button', { name: 'Use this token' }).click()
    await again.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^Job title Typed before the end/ }).waitFor()
    expect(opened[0]?.complaints.splice(0).every((text) => text.includes('401'))).toBe(true)
  })

  it('cannot be changed by those without the right, who are told which', async () => {
    const page = await open('/people/user_chidi', await console.token('user_nils'))
    const edit = page.getByRole('button', { name: 'Edit', exact: true })
    expect(await edit.getAttribute('aria-disabled')).toBe('true')
    const why = 'You need the permission users:write here.'
    expect(await edit.getAttribute('aria-description')).toBe(why)
    await edit.hover()
    await page.getByText(why).waitFor()
  })
})

describe('a key in the console', () => {
  it('is created with what was shown, and its secret is shown once', async () => {
    const page = await open('/keys')
    await page.getByRole('button', { name: 'Create an API key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Nightly job')
    await page.getByLabel('users:read').check()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('row', { name: 'Permissions – users:read' }).waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const secret = await page.getByText(/^svc_secret_pk_/).textContent()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('link', { name: 'Nightly job' }).click()
    await page.getByText('users:read').waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked', { exact: true }).first().waitFor()
  })

  it('that has leaked is revoked without a sign-in', async () => {
    const request = { name: 'Leaked', permissions: ['users:read'] }
    const { json } = await console.service.rest('POST', '/v2/api-keys', { token, json: request })
    const page = await openSignedOut('/leaked-key')
    await page.getByLabel('Secret or token').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByLabel('Secret or token').fill(json.secret)
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('it no longer works').waitFor()
    const { json: after } = await console.service.rest('GET', `/v2/api-keys/${json.data.id}`, { token })
    expect(after.data.status).toBe('API_KEY_STATUS_REVOKED')
  })
})

describe('a console whose service does not answer', () => {
  const METHOD = '**/svc.v2.UserService/ListUsers'

  it('shows what the service says, its reason and the request, and tries again when it may', async () => {
    const page = await open('/keys')
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    const headers = { 'retry-after': '4', 'x-request-id': 'request-of-the-test', 'content-type': 'application/json' }
    const body = JSON.stringify({ code: 'unavailable', message: 'the service is stopping' })
    await page.route(METHOD, (route) => route.fulfill({ status: 503, headers, body }))
    await page.getByRole('link', { name: 'People', exact: true }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'The service is busy or stopping' })
    await failure.getByText('the service is stopping').waitFor()
    await failure.getByText('request-of-the-test').waitFor()
    await page.unroute(METHOD)
    await failure.getByRole('button', { name: 'Try again', exact: true }).click()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(opened[0]?.complaints.splice(0)).not.toEqual([])
  })

  it('says that it is offline, and keeps what it shows', async () => {
    const page = await open('/people')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await page.context().setOffline(true)
    try {
      await page.getByText('You are offline.').waitFor()
      expect(await page.getByRole('link', { name: 'Chidi Okafor' }).count()).toBe(1)
    } finally {
      await page.context().setOffline(false)
    }
    await page.getByText('You are offline.').waitFor({ state: 'detached' })
    opened[0]?.complaints.splice(0)
  })
})
