import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { countPresses, documentedPresses, expectDocumented } from '../support/console-presses.js'
import { pick } from '../support/console-writes.js'
import { openPalette } from '../support/keyboard.js'

// Each task is done as by somebody who knows nothing but what the screen says: by roles and names.
let console: TestConsole
let token: string
let opened: ConsolePage
let page: Page
let takePresses: () => Promise<number>
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
  opened = await console.open('/', token)
  page = opened.page
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  takePresses = await countPresses(page)
})
afterAll(() => console.stop())

afterEach(async () => {
  const task = String(expect.getState().currentTestName)
  if (!task.startsWith('is one')) expectDocumented(task, await takePresses())
})

const link = (name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' }).first()
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).first()
const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).first().waitFor()
const menu = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const find = async (text: string, option: RegExp) => {
  await openPalette(page)
  await page.keyboard.type(text)
  await page.getByRole('option', { name: option }).first().click()
}

it('says why the department of a person differs from what was written', async () => {
  await console.service.rest('PUT', '/v2/users/user_chidi', { token, json: { department: 'Sales' } })
  await find('chidi', /^Chidi Okafor/)
  await heading('Chidi Okafor')
  const row = page.getByRole('row', { name: /^Department/ })
  await row.getByText('the directory supplies the field').waitFor()
})

it('gives somebody a role for two weeks, from the page of the person', async () => {
  await find('jonas', /^Jonas Berg/)
  await heading('Jonas Berg')
  await button('Add to a team').click()
  const dialog = page.getByRole('dialog', { name: 'Give a role' })
  await pick(dialog, 'Team', 'IT Operations')
  const day = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10)
  await dialog.getByText('Leave empty for no expiry.').waitFor()
  await dialog.getByLabel('Ends at the beginning of').fill(day)
  await dialog.getByText(/^It ends in 1[34] days:/).waitFor()
  await dialog.getByRole('button', { name: 'Review' }).click()
  await button('Save').click()
  await said('Saved.')
  await page.getByRole('row', { name: /IT Operations Viewer/ }).waitFor()
  // A role that is not there is not asked for.
  expect(opened.requested.filter((url) => url.endsWith('/GetTeamMember'))).toEqual([])
  expect(opened.complaints).toEqual([])
})

it('creates an app, shares it and gives it a resource', async () => {
  await menu('Apps')
  await button(/Create an app/).click()
  const dialog = page.getByRole('dialog')
  await pick(dialog, 'Team', 'IT Operations')
  await dialog.getByLabel('Name', { exact: true }).fill('Payroll portal')
  await dialog.getByRole('button', { name: 'Review' }).click()
  await button('Create').click()
  await heading('Payroll portal')
  await button('Share').click()
  await pick(page.getByRole('dialog'), 'Team', 'People Operations')
  await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).click()
  await button('Stop sharing with People Operations').waitFor()
})

it('edits the resources of an app in a table, all or nothing', async () => {
  await menu('Resources')
  await link('gripper-firmware').waitFor()
  await button('Edit as a table').click()
  const dialog = page.getByRole('dialog', { name: 'Edit resources as a table' })
  await dialog.getByLabel('Description of gripper-firmware').fill('Firmware, signed')
  const other = dialog.getByRole('textbox', { name: /^Description of / }).first()
  await other.fill('Looked after by IT')
  await dialog.getByRole('button', { name: 'Review 2 changes' }).click()
  await page.getByRole('row', { name: /^gripper-firmware: Description .* Firmware, signed/ }).waitFor()
  await button('Save all').click()
  await said('2 saved.')
  const { json } = await console.service.rest('GET', '/v2/app-resources/resource_gripper', { token })
  expect(json.data.description).toBe('Firmware, signed')
})

it('writes a procedure of two stages', async () => {
  await menu('Policies')
  await link('Standard access').click()
  await button('Create a procedure').click()
  const first = page.getByRole('group', { name: 'Stage 1' })
  await first.getByLabel('Approver', { exact: true }).selectOption('A person')
  await pick(first, 'Person', 'Goro Tanaka')
  await button('Add a stage').click()
  await button('Review').click()
  await button('Create').click()
  await said('Procedure created.')
  await link('Goro Tanaka').waitFor()
})

it('writes an SLA: urgent tickets of a team are resolved within four hours of working time', async () => {
  await menu('SLAs')
  await button(/Create an SLA/).click()
  const dialog = page.getByRole('dialog')
  await pick(dialog, 'Team', 'IT Operations')
  await dialog.getByLabel('Name', { exact: true }).fill('Urgent things')
  await dialog.getByLabel('Metric').selectOption('Resolution')
  await dialog.getByLabel('Within').fill('4')
  await dialog.getByLabel('Which time counts').selectOption('the working time of')
  await dialog.getByLabel('Schedule').fill('Office hours')
  await dialog.getByLabel('Counted from').selectOption('when the ticket is created')
  await button('Add a comparison').click()
  const comparison = dialog.getByRole('group', { name: 'Comparison 1' })
  await comparison.getByLabel('Field', { exact: true }).selectOption('Priority')
  await pick(comparison, 'Value', 'Urgent')
  await button('Add a workflow').click()
  await dialog.getByRole('group', { name: 'Workflow 1' }).getByLabel('Workflow', { exact: true }).fill('Escalate')
  await button('Review').click()
  await button('Create').click()
  await heading('Urgent things')
  await page
    .getByText(
      'For tickets where Priority is Urgent: Resolution within 4 hours of the working time of Office hours, counted from when the ticket is created.',
    )
    .waitFor()
  await page.getByText('When the time is over, run Escalate').waitFor()
})

it('finds the journeys that are late, and what they wait for', async () => {
  await menu('Overview')
  await link('2 journeys are late').click()
  await page
    .getByRole('row', {
      name: /^Kamala Iyer joins Engineering .*\d+ (?:month|year)s? .*Prepare the workplace \(Emre Yıldız\)/,
    })
    .waitFor()
})

it('creates a key, rotates it and revokes it', async () => {
  await menu('API keys')
  await button(/Create an API key/).click()
  await page.getByLabel('Name', { exact: true }).fill('Payroll export')
  await page.getByLabel('users:read').check()
  await button('Review').click()
  await button('Create').click()
  await page.getByText('Client ID', { exact: false }).first().waitFor()
  await button('I have it').click()
  await link('Payroll export').click()
  await heading('Payroll export')
  await button('Rotate').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
  await button('I have it').click()
  await button('Revoke').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('Revoked', { exact: true }).first().waitFor()
})

it('searches a group of 3,000 people, in at most twelve calls', async () => {
  const { database } = console.service
  for (const statement of [
    `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name)
     SELECT 'org_acme', 'crowd_' || n, 'crowd' || n || '@acme.example', 'Crowd', 'Member' || n FROM generate_series(1, 3000) n`,
    `INSERT INTO groups (id, organization_id, name) VALUES ('group_crowd', 'org_acme', 'Everybody')`,
    `INSERT INTO group_members (organization_id, group_id, user_id, position)
     SELECT 'org_acme', 'group_crowd', 'crowd_' || n, n FROM generate_series(1, 3000) n`,
  ]) {
    await database.execute(statement)
  }
  const { page: crowd, requested, close } = await console.open('/groups/group_crowd', token)
  await crowd
    .getByRole('link', { name: /^Crowd Member/ })
    .first()
    .waitFor()
  await crowd.getByRole('searchbox', { name: 'Name or email' }).fill('crowd member2917')
  await crowd.getByRole('link', { name: 'Crowd Member2917' }).waitFor()
  await crowd.getByRole('button', { name: 'Remove Crowd Member2917 from Everybody' }).waitFor()
  // The service has searched: no further page was read.
  expect(requested.filter((url) => url.includes('ListGroupMembers')).length).toBeLessThanOrEqual(2)
  expect(requested.filter((url) => url.includes('/svc.v2.')).length).toBeLessThanOrEqual(12)
  await close()
})

it('shows an event of a moment ago, as it happens', async () => {
  await menu('Events')
  await page.getByRole('table').waitFor()
  await console.service.rest('PATCH', '/v2/priorities/pri_urgent', { token, json: { description: 'Now' } })
  await page
    .getByRole('row', { name: /^Priority updated Urgent/ })
    .first()
    .waitFor()
})

it('greets a member with their own home, and a menu without what refuses', async () => {
  await console.service.database.execute(
    `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name)
     VALUES ('org_acme', 'user_new', 'new@acme.example', 'Nora', 'New')`,
  )
  const { page: home, complaints, close } = await console.open('/', await console.token('user_new'))
  await home.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await home.getByText('You are signed in as Nora New').waitFor()
  await home.getByText('new@acme.example').waitFor()
  await home.getByText('No journey is under way').waitFor()
  expect(await home.getByRole('navigation').getByRole('link').allTextContents()).toEqual(['Home', 'Journeys'])
  expect(complaints).toEqual([])
  await close()
})

it('is one of the tests of every task that the document has', () => {
  const files = ['tasks', 'operations', 'sign-in'].map((name) => `console-${name}.test.ts`)
  const sources = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n')
  expect(documentedPresses.size).toBeGreaterThanOrEqual(16)
  expect([...documentedPresses.keys()].filter((task) => !sources.includes(`it('${task}'`))).toEqual([])
})
