import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'

let console: TestConsole
let opened: ConsolePage
beforeAll(async () => {
  console = await startTestConsole()
  opened = await console.open('/', await console.token())
  await opened.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})
afterAll(() => console.stop())

const body = JSON.stringify({ code: 'internal', message: 'http://127.0.0.1 has no answer of the api' })

/** Lets the calls of some methods fail until the returned function is called. */
async function fail(methods: string): Promise<() => Promise<void>> {
  const address = `**/svc.v2.*/${methods}`
  await opened.page.route(address, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }))
  return () => opened.page.unroute(address)
}

/** Comes back to the page after so long that what it shows is asked for again. */
const comeBack = `(() => {
  const now = Date.now.bind(Date)
  Date.now = () => now() + 60_000
  dispatchEvent(new Event('visibilitychange'))
})()`

describe('when the service fails after a screen is shown, the console', () => {
  it('shows no number of before as one of now', async () => {
    const { page } = opened
    const people = page.getByRole('link', { name: '13 people' })
    await people.waitFor()
    const repair = await fail('ListUsers')
    await page.evaluate(comeBack)
    const failed = page.getByRole('alert').filter({ hasText: 'has no answer of the api' })
    await failed.waitFor()
    expect(await people.count()).toBe(0)
    await repair()
    await failed.getByRole('button', { name: 'Try again' }).click()
    await people.waitFor()
  })

  it('says of what it still shows that it could not be read again', async () => {
    const { page, go } = opened
    for (const [path, methods, text] of [
      ['/priorities/pri_urgent', 'GetPriority', 'P1'],
      ['/groups/group_security', 'ListGroupMembers', 'bela@acme.example'],
      ['/directory', 'GetDirectoryStatus', 'Deleted there'],
    ] as const) {
      await go(path)
      await page.getByText(text).first().waitFor()
      const repair = await fail(methods)
      await page.evaluate(comeBack)
      const alert = page.getByRole('alert')
      // What the service says is not spelled anew.
      await alert.getByText('http://127.0.0.1 has no answer of the api.').first().waitFor()
      await page.getByText(text).first().waitFor()
      await repair()
      await alert.getByRole('button', { name: 'Try again' }).first().click()
      await alert.first().waitFor({ state: 'detached' })
    }
  })

  it('does not say that nothing is called so, where things are found by their names', async () => {
    const { page, go } = opened
    await go('/people/user_jonas')
    const nothing = page.getByText('Nothing has this name.')
    const repair = await fail('{ListTeams,ListApiKeys}')
    await page.getByRole('region', { name: 'About' }).getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Add to a team' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Team' }).fill('it')
    const again = page.getByRole('button', { name: 'Could not be read. Try again' })
    await again.waitFor()
    expect(await nothing.count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('it')
    const found = page.getByRole('dialog').filter({ has: page.getByRole('combobox', { name: 'Find anything' }) })
    await found.getByRole('alert').waitFor()
    expect(await nothing.count()).toBe(0)
    await repair()
    await found.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('option', { name: /^IT Operations/ }).click()
    await page.getByRole('heading', { level: 1, name: 'IT Operations' }).waitFor()
  })

  it.each([
    ['/people?department=IT', 'ListDepartmentOptions', 'Department', 'IT', 'Finance'],
    ['/audit?action=user.update', 'ListAuditActions', 'What', 'user.update', 'API key created'],
  ] as const)('reads the choices of a filter of %s again', async (path, method, label, chosen, another) => {
    const { page, go } = opened
    const repair = await fail(method)
    await go(path)
    const again = page.getByRole('button', { name: `Try again to read the choices: ${label}` })
    await again.waitFor()
    const filter = page.getByLabel(label, { exact: true })
    expect(await filter.inputValue()).toBe(chosen)
    await repair()
    await again.click()
    await filter.getByRole('option', { name: another }).waitFor({ state: 'attached' })
    expect(await again.count()).toBe(0)
    expect(await filter.inputValue()).toBe(chosen)
  })

  it('does not wait for events for ever where the feed cannot be read', async () => {
    const { page, go } = opened
    const repair = await fail('ListEvents')
    await go('/events')
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await repair()
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No event yet').waitFor()
  })

  it('lets the service alone check a form whose limits cannot be loaded', async () => {
    const { page, go } = opened
    await go('/teams/team_archive')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.route('**/*.js', (route) => route.abort())
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('Old')
    await page.getByRole('button', { name: 'Review', disabled: false }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    opened.complaints.splice(0)
  })
})
