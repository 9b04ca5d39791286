import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startTestConsole, type TestConsole } from '../support/console.js'

let console: TestConsole
let token: string
beforeAll(async () => {
  // Eight hours behind UTC in winter.
  console = await startTestConsole({}, 'America/Los_Angeles')
  token = await console.token()
})
afterAll(() => console.stop())

describe('the console', () => {
  it('takes every letter that is typed after Ctrl-K, however fast, and says that nothing is called so once', async () => {
    const { page, close } = await console.open('/people', token)
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('chidi')
    await page.getByRole('option', { name: /Chidi Okafor/ }).waitFor()
    const field = page.getByRole('combobox', { name: 'Find anything' })
    expect(await field.inputValue()).toBe('chidi')
    await field.fill('qwxyz')
    await page.getByText('Nothing has this name.').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
    await close()
  })

  it('takes what is typed after Ctrl-K from no field of a form below', async () => {
    const { page, close } = await console.open('/teams/team_archive', token)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Kept')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('chidi')
    const field = page.getByRole('combobox', { name: 'Find anything' })
    await page.getByRole('option', { name: /Chidi Okafor/ }).waitFor()
    expect(await field.inputValue()).toBe('chidi')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Kept')
    await close()
  })

  it('tells the buttons of one screen apart', async () => {
    const { page, go, close } = await console.open('/apps/app_forge', token)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await button('Export as CSV: Resources').waitFor()
    await button('Export as CSV: Shared with').waitFor()
    await go('/directory')
    await button('Copy the address for Okta').waitFor()
    await close()
  })

  it('gives the focus to the heading after a link, and reads buttons by names', async () => {
    const { page, close } = await console.open('/groups', token)
    await page.getByRole('link', { name: 'Onboarding Crew' }).click()
    await page.getByRole('heading', { level: 1, name: 'Onboarding Crew' }).waitFor()
    await page.locator('h1:focus').waitFor()
    await page.getByRole('button', { name: 'Remove Hanna Schulz from Onboarding Crew' }).press('Enter')
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true })
    await remove.waitFor()
    // What is said while a dialog is open is heard as well.
    const place = page.locator('[role=status][aria-live=polite]')
    expect(await place.evaluate((each) => each.closest('[aria-hidden=true], [inert]') === null)).toBe(true)
    await remove.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Hanna Schulz is no longer in Onboarding Crew.' }).waitFor()
    await close()
  })

  it('gives the focus to the nearest heading when what had it leaves the page', async () => {
    const { page, go, close } = await console.open('/teams/team_people', token)
    const remove = page.getByRole('button', { name: /^Remove / })
    await remove.first().waitFor()
    for (let left = await remove.count(); left > 0; left -= 1) {
      await remove.first().press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).press('Enter')
      await remove.nth(left - 1).waitFor({ state: 'detached' })
      await page.locator('h2:focus').filter({ hasText: 'Roles' }).waitFor()
    }
    await page.getByText('Nobody yet').waitFor()
    await page.locator('h2:focus').filter({ hasText: 'Roles' }).waitFor()
    await go('/people?manager=user_bela')
    await page.getByRole('button', { name: 'Remove the filter Reports to' }).press('Enter')
    await page.locator('h1:focus').filter({ hasText: 'People' }).waitFor()
    await close()
  })

  it('shows a name with marks that turn text without them, so that what stands beside it stays in its order', async () => {
    const { rest } = console.service
    const json = { email: 'turned@acme.example', firstName: 'Ev\u202Eil\u2067', lastName: 'Name', department: 'Ops' }
    const { id } = (await rest('POST', '/v2/users', { token, json })).json.data
    await rest('PUT', `/v2/teams/team_people/members/${id}`, { token, json: { role: 'TEAM_USER_ROLE_VIEWER' } })
    const { page, go, close } = await console.open('/teams/team_people', token)
    await page.getByRole('button', { name: 'Remove Evil Name from People Operations' }).waitFor()
    await page.getByRole('link', { name: 'Evil Name' }).click()
    await page.getByRole('heading', { level: 1, name: 'Evil Name', exact: true }).waitFor()
    expect(await page.title()).toBe('Evil Name – svc console')
    await go('/people?q=turned')
    await page.getByRole('heading', { level: 1, name: 'People', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Evil Name', exact: true }).waitFor()
    await close()
  })

  it('keeps what can be done about a person in sight, however long the name and the address are', async () => {
    const { rest } = console.service
    const [lastName, domain] = ['Wolfeschlegelsteinhausen'.repeat(4), 'subsidiary-of-a-very-long-company-name.example']
    const json = { email: `${'maximiliana.'.repeat(5)}a@${domain}`, firstName: 'Maximiliana', lastName }
    const { id } = (await rest('POST', '/v2/users', { token, json })).json.data
    await rest('PUT', `/v2/teams/team_it/members/${id}`, { token, json: { role: 'TEAM_USER_ROLE_MANAGER' } })
    const { page, close } = await console.open('/teams/team_it', token)
    await page.getByRole('button', { name: /^Remove Maximiliana/ }).waitFor()
    expect(
      await page.getByRole('group', { name: 'Roles' }).evaluate((table) => table.scrollWidth - table.clientWidth),
    ).toBe(0)
    await close()
  })

  it('says of a list that is narrowed that a filter can be removed, and of an empty one how the first comes to be', async () => {
    const { page, go, close } = await console.open('/groups?q=qwxyz', token)
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await go('/keys')
    await page.getByRole('heading', { name: 'No API key yet' }).waitFor()
    await go('/keys?status=1')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await close()
  })

  it('asks before typed work is lost by going back, and keeps it', async () => {
    const { page, close } = await console.open('/people', token)
    await page.getByRole('navigation').getByRole('link', { name: 'Teams' }).click()
    await page.getByRole('button', { name: 'Create a team' }).click()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Legal')
    await page.evaluate('history.back()')
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Legal')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await close()
  })

  it('says in the form what is wrong with a value, and there what the service refuses, once', async () => {
    const { page, complaints, close } = await console.open('/people', token)
    await page.getByRole('button', { name: /Add a person/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByLabel('Department').fill('x'.repeat(300))
    await dialog.getByText('Must be at most 255 characters.').waitFor()
    await dialog.getByLabel('Department').fill('IT')
    await dialog.getByLabel('Email').fill('chidi@acme.example')
    await dialog.getByRole('button', { name: 'Review' }).click()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const refusal = page.getByRole('alert')
    await refusal.first().waitFor()
    expect(await refusal.count()).toBe(1)
    complaints.splice(0)
    await close()
  })

  it('shows a filter that a link has set, and takes it away', async () => {
    const { page, close } = await console.open('/people?manager=user_bela', token)
    await page.getByText('Reports to').waitFor()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(await page.getByRole('link', { name: 'Ada Lindqvist' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove the filter Reports to' }).click()
    await page.getByRole('link', { name: 'Ada Lindqvist' }).waitFor()
    await close()
  })

  it('says of the overview what could not be read, instead of that nothing needs attention', async () => {
    const { page, complaints, close } = await console.open('/teams', token)
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor()
    const body = JSON.stringify({ code: 'internal', message: 'it broke' })
    await page.route('**/svc.v2.JourneyService/ListJourneys', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body }),
    )
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByRole('alert').waitFor()
    expect(await attention.getByText('Nothing needs attention').count()).toBe(0)
    await page.unroute('**/svc.v2.JourneyService/ListJourneys')
    await attention.getByRole('button', { name: 'Try again' }).click()
    await attention.getByRole('link', { name: '2 journeys are late' }).waitFor()
    complaints.splice(0)
    const states = page.getByRole('region', { name: 'Journeys under way' })
    await states.getByRole('button', { name: 'Try again' }).click()
    await states.getByRole('link', { name: 'On time', exact: true }).click()
    await page.getByText('Nothing matches').waitFor()
    expect(new URL(page.url()).search).toBe('?state=punctual')
    await close()
  })

  it('begins what is in a line of its own where the other lines begin', async () => {
    const key = await console.service.rest('POST', '/v2/api-keys', {
      token,
      json: { name: 'Reports', permissions: ['users:read'] },
    })
    const { page, close } = await console.open(`/keys/${key.json.data.id}`, token, { width: 240 })
    const copy = page.getByRole('button', { name: 'Copy ID' })
    await copy.waitFor()
    const title = await page.getByRole('heading', { level: 1 }).evaluate((each) => each.getBoundingClientRect().left)
    const left = await copy.evaluate((each) => {
      const range = each.ownerDocument.createRange()
      range.selectNodeContents(each)
      return range.getBoundingClientRect().left
    })
    expect(left).toBeCloseTo(title, 0)
    await close()
  })

  it('shows days without a time as days of the calendar, west of UTC too', async () => {
    const journey = '0198a1c0-7d00-7000-8000-000000000001'
    const { json } = await console.service.rest('GET', `/v2/journeys/${journey}`, { token })
    const { year, month, day } = json.data.dueDate
    const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
    const due = date.format(Date.UTC(year, month - 1, day))
    const { page, close } = await console.open(`/journeys/${journey}?view=time`, token)
    await page
      .getByRole('listitem')
      .filter({ hasText: `${due} The journey is due` })
      .waitFor()
    await close()
  })
})
