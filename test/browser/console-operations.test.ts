import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { countPresses, documentedPresses, expectDocumented } from '../support/console-presses.js'
import { pick } from '../support/console-writes.js'
import { eventually } from '../support/eventually.js'
import { insertRow } from '../support/fixture.js'
import { startWebhookReceiver, type WebhookReceiver, webhookConfig } from '../support/webhook-receiver.js'

// What those who run an organization do with keys, webhooks, the audit log and a directory, by what the screen says.
let console: TestConsole
let receiver: WebhookReceiver
let token: string
let opened: ConsolePage
let page: Page
let takePresses: () => Promise<number>
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  console = await startTestConsole({ config: webhookConfig })
  token = await console.token()
  opened = await console.open('/', token)
  page = opened.page
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  takePresses = await countPresses(page)
})
afterEach(async () => {
  const [task, presses] = [String(expect.getState().currentTestName), await takePresses()]
  if (documentedPresses.has(task)) expectDocumented(task, presses)
  // Whatever else is done is near, too.
  else expect(presses).toBeLessThanOrEqual(12)
})
afterAll(async () => {
  await console.stop()
  await receiver.close()
})

const button = (name: string | RegExp, within: Page | Locator = page) =>
  within.getByRole('button', { name, exact: typeof name === 'string' }).first()
const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
const dialog = (name: string) => page.getByRole('dialog', { name })
const menu = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const send = (method: string, path: string, json?: object, by = token) =>
  console.service.rest(method, path, { token: by, ...(json && { json }) })

/** What the button saves. */
async function saved(save: Locator): Promise<string[]> {
  const download = page.waitForEvent('download')
  await save.click()
  return (await readFile(await (await download).path(), 'utf8')).split('\r\n')
}

it('takes a leaked key out, with those that came of it', async () => {
  const { json: first } = await send('POST', '/v2/api-keys', { name: 'Leaky', permissions: ['users:read'] })
  await send('POST', `/v2/api-keys/${first.data.id}:rotate`, { overlapSeconds: 86_400 })
  await menu('API keys')
  await link('Leaky').click()
  await button('Revoke').click()
  const revoke = dialog('Revoke Leaky')
  await revoke.getByLabel('Also the keys that it was rotated from or to').check()
  await button('Revoke', revoke).click()
  await page.getByRole('status').filter({ hasText: 'Leaky revoked.' }).waitFor()
  const chain = page.getByRole('region', { name: 'Chain' })
  await eventually(async () => expect(await chain.getByText('Revoked', { exact: true }).count()).toBe(2))
})

it('sees why an endpoint fails, repairs it, and sends again what it missed', async () => {
  receiver.answer('/payroll', (response) => response.writeHead(500).end('out of order'))
  await menu('Webhooks')
  await button(/Create a webhook/).click()
  await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/payroll`)
  await page.getByLabel('All events, also of kinds to come').waitFor()
  await page.getByLabel('Search events').fill('priority')
  await page.getByRole('group', { name: 'Priority' }).getByLabel('Priority updated').check()
  await button('Review').click()
  await button('Create').click()
  await button('I have it').click()
  await button('Send a test').click()
  await button('Send', page.getByRole('dialog')).click()
  await page.getByRole('status').filter({ hasText: 'Not accepted: The receiver answered 500.' }).waitFor()
  await send('PATCH', '/v2/priorities/pri_urgent', { description: 'While it is broken' })
  await eventually(() => expect(receiver.at('/payroll').length).toBeGreaterThan(1))

  await menu('Webhooks')
  await link(`${receiver.url}/payroll`).click()
  const row = page.getByRole('row', { name: /^Priority updated Urgent Waiting \d 500/ })
  await row.waitFor()
  await button(/^Details of Priority updated/).click()
  const details = dialog('Priority updated')
  await details.getByText(`POST ${receiver.url}/payroll`).waitFor()
  await details.getByText('The receiver answered 500.').waitFor()
  await details.getByText('out of order').waitFor()
  // What is said to be sent is what was.
  const [sent] = receiver.at('/payroll').filter(({ json }) => json.type === 'priority.update')
  const request = details.getByRole('region', { name: 'Request' })
  await request.getByText(`webhook-id: ${String(sent?.headers['webhook-id'])}`).waitFor()
  const body = await request.getByText('"specversion"').textContent()
  expect(JSON.parse(body ?? '')).toEqual(sent?.json)
  await button('Close').click()

  receiver.answer('/payroll', 200)
  await button('Retry failed deliveries').click()
  await dialog('Retry failed deliveries')
    .getByText(/^\d events?$/)
    .waitFor()
  await button('Retry').click()
  await page
    .getByRole('status')
    .filter({ hasText: /^\d sent now\.$/ })
    .waitFor()
  await page.getByRole('row', { name: /^Priority updated Urgent Accepted \d 200/ }).waitFor()

  await button(/^Details of Priority updated/).click()
  await button('Send everything again from here').click()
  await dialog('Send events again')
    .getByText(/\d events?$/)
    .waitFor()
  const before = receiver.at('/payroll').length
  await button('Send again').click()
  await page
    .getByRole('status')
    .filter({ hasText: /^\d sent again\.$/ })
    .waitFor()
  await eventually(() => expect(receiver.at('/payroll').length).toBeGreaterThan(before))
})

it('shows on the overview what became of the last deliveries, and leads to them', async () => {
  await menu('Overview')
  const deliveries = page.getByRole('region', { name: 'Deliveries' })
  await deliveries.getByText(`All events for ${receiver.url}/payroll`).waitFor()
  await deliveries.getByText(/^Accepted [1-9]$/).waitFor()
  await deliveries.getByText(/^Failed \d$/).waitFor()
  await deliveries.getByRole('link', { name: 'Accepted' }).click()
  await page.getByRole('button', { name: 'Remove the filter State' }).waitFor()
  await page.getByRole('row', { name: /^Priority updated Urgent Accepted/ }).waitFor()
})

it('says what one person did last week, to whom, and saves it', async () => {
  const [day, base] = [86_400_000, { organization_id: 'org_acme', actor_kind: 'USER', actor_id: 'user_hanna' }]
  for (const [daysAgo, target_id] of [
    [3, 'user_jonas'],
    [30, 'user_emre'],
  ] as const) {
    const occurred_at = new Date(Date.now() - daysAgo * day)
    const time = occurred_at.getTime().toString(16).padStart(12, '0')
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
    const target = { target_type: 'user', target_id, action: 'user.update', actor_name: 'Hanna Schulz' }
    await insertRow(console.service.database, 'audit_events', { ...base, ...target, id, occurred_at })
  }
  await menu('Audit log')
  await pick(page.locator('main'), 'Who did it', 'Hanna Schulz')
  await page.getByLabel('From').fill(new Date(Date.now() - 7 * day).toISOString().slice(0, 10))
  const entry = page.getByRole('listitem').filter({ hasText: 'Person updated by Hanna Schulz' })
  await entry.filter({ hasText: 'Jonas Berg' }).waitFor()
  await eventually(async () => expect(await entry.count()).toBe(1))
  const [header, line, ...others] = await saved(button(/^Export as CSV/))
  expect(header).toMatch(/^\ufeffID,Occurred,Actor: Kind,Actor: ID,Actor: Name,Action/)
  expect(line).toContain('Person,user_hanna,Hanna Schulz,user.update,user,user_jonas')
  expect(others).toEqual([])
})

it('finds what happened to a thing by its name', async () => {
  await send('PATCH', '/v2/app-instances/app_forge', { externalServiceInstanceId: 'forge-1' })
  await menu('Audit log')
  await page.getByLabel('About').selectOption('App')
  await pick(page.locator('main'), 'Which', 'Forge (source code)')
  await page.getByRole('listitem').filter({ hasText: 'App updated by Ada Lindqvist on Forge' }).waitFor()
  await button('Remove the filter About').click()
  expect(new URL(page.url()).search).toBe('')
})

it('connects a directory, and sees its first people come in', async () => {
  await menu('Directory')
  await page.getByRole('region', { name: 'Okta' }).getByRole('button', { name: 'Copy the address for Okta' }).waitFor()
  await page.getByRole('region', { name: 'Microsoft Entra ID' }).getByRole('listitem').first().waitFor()
  await button('Create a key for a directory').click()
  await page.getByLabel('Name', { exact: true }).fill('Okta')
  await page.getByText('what the provider writes is refused').last().waitFor()
  await button('Review').click()
  await button('Create').click()
  const secret = (await page.getByText(/^svc_secret_mk_/).textContent()) ?? ''
  await page.getByText(`curl -H "Authorization: Bearer ${secret}"`).waitFor()
  await button('I have it').click()
  await page.getByRole('row', { name: /^Okta Active Never/ }).waitFor()
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const user = { schemas, userName: 'first@acme.example', name: { givenName: 'First' }, active: true }
  expect((await send('POST', '/scim/v2/Users', user, secret)).status).toBe(201)
  await send('POST', '/scim/v2/Users', { schemas, userName: 'no address', active: true }, secret)
  await page.getByRole('status').filter({ hasText: 'it wrote last just now' }).waitFor()
  await page.getByRole('region', { name: 'Refusals' }).getByText('no address').first().waitFor()
})

it('changes forty people by a file that has three bad lines', async () => {
  await console.service.database.execute(
    `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name)
     SELECT 'org_acme', 'forty_' || n, 'forty' || n || '@acme.example', 'Forty', 'Person' || n FROM generate_series(1, 37) n`,
  )
  const good = Array.from({ length: 37 }, (_, index) => `forty${index + 1}@acme.example;Field sales`)
  const bad = ['nobody@acme.example;Field sales', ';Field sales', 'forty1@acme.example;Field sales;too much']
  await menu('People')
  await page.getByRole('link', { name: 'Change many from a file' }).click()
  const buffer = Buffer.from(['Email;Department', ...good, ...bad].join('\r\n'))
  await page.getByLabel('Choose a file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
  opened.requested.splice(0)
  await button('Show the plan').click()
  await page.getByRole('row', { name: /^Forty Person37 38 Will be updated Department: .* → Field sales/ }).waitFor()
  for (const line of [39, 40, 41]) await page.getByRole('row', { name: new RegExp(` ${line} Refused`) }).waitFor()
  // However many there are, they are looked for at once.
  expect(opened.requested.filter((address) => address.endsWith('/ListUsers'))).toHaveLength(1)
  await button('Change 37 people').click()
  await button('Change them').click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  const { json } = await send('GET', '/v2/users?department=Field+sales&pageSize=100')
  expect(json.data).toHaveLength(37)
})

describe('lists of the console', () => {
  it('are saved as a whole as their filters narrow them, with nothing that a spreadsheet runs', async () => {
    const formulas = ['=HYPERLINK("https://evil.invalid")', '＝1+1', ' =2+2', 'Sales;=3+3', '-cmd', '－cmd', '@A1']
    const texts = ['-12', '+49 30 (123)-456', 'a=b', 'C+;-)']
    for (const name of [...formulas, ...texts]) await send('POST', '/v2/groups', { name })
    await menu('Groups')
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()
    const lines = await saved(button(/^Export as CSV/))
    expect(lines[0]).toMatch(/^\ufeffID,Name,/)
    expect(lines.join('\n')).toContain(`,"'=HYPERLINK(""https://evil.invalid"")",`)
    const names = lines.slice(-1 - 6 - texts.length + 1).map((line) => line.split(',')[1])
    expect(names).toEqual([`'＝1+1`, `' =2+2`, `Sales;'=3+3`, `'-cmd`, `'－cmd`, `'@A1`, ...texts])
    expect(lines.length - 1).toBe((await send('GET', '/v2/groups?includeTotal=true')).json.totalSize)
    await menu('People')
    await page.getByLabel('Name or email').fill('chidi')
    await page
      .getByRole('status')
      .filter({ hasText: /\b1 in all/ })
      .waitFor()
    const people = await saved(button(/^Export as CSV/))
    expect(people).toHaveLength(2)
    expect(people[1]).toContain('chidi')
  })

  it('let one choose the resources that are edited in a table, which is checked while one types', async () => {
    await menu('Resources')
    for (const name of ['gripper-firmware', 'Full tunnel']) await page.getByLabel(`Choose ${name}`).check()
    await button('Edit 2 as a table').click()
    const grid = dialog('Edit resources as a table')
    await eventually(async () => expect(await grid.getByLabel(/^Name of/).count()).toBe(2))
    await grid.getByLabel('Short name of gripper-firmware').fill('with blanks')
    await grid.getByRole('alert').getByText('characters that cannot be used').waitFor()
    await grid.getByLabel('Short name of gripper-firmware').fill('gripper')
    await grid.getByLabel('Type of Full tunnel').fill('tunnel')
    await grid.getByLabel('External ID of gripper-firmware').fill('repo-1001')
    await button(/^Review 3 changes/, grid).click()
    await button('Save all').click()
    await page.getByRole('alert').getByText('already has this external id').waitFor()
    expect((await send('GET', '/v2/app-resources/resource_gripper')).json.data.scopedId).not.toBe('gripper')
    await grid.getByLabel('External ID of gripper-firmware').fill('repo-2002')
    await button(/^Review 3 changes/, grid).click()
    await button('Save all').click()
    await page.getByRole('status').filter({ hasText: '2 saved.' }).waitFor()
  })
})

it('says of fifty late journeys what each waits for and for whom it is, in at most twelve calls', async () => {
  const id = (of: number) => `('0198a1c0-7d0${of}-7000-9000-' || lpad(n::text, 12, '0'))::uuid`
  for (const statement of [
    `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name)
     SELECT 'org_acme', 'slow_' || n, 'slow' || n || '@acme.example', 'Slow', 'Person' || n FROM generate_series(1, 50) n`,
    `INSERT INTO journeys (id, organization_id, team_id, name, requester_user_id, overdue_from)
     SELECT ${id(3)}, 'org_acme', 'team_it', 'Slow journey ' || n, 'slow_' || n, '2026-01-02' FROM generate_series(1, 50) n`,
    `INSERT INTO journey_tasks (organization_id, journey_id, id, position, name, status, due_date, assigned_to_user_id)
     SELECT 'org_acme', ${id(3)}, ${id(4)}, 0, 'Wait ' || n, 'TODO', '2026-01-01', 'slow_' || 51 - n FROM generate_series(1, 50) n`,
  ]) {
    await console.service.database.execute(statement)
  }
  const { page: late, requested, close } = await console.open('/journeys?state=overdue', token)
  await late.getByText(/^5\d in all/).waitFor()
  await late.evaluate("document.querySelector('main section[tabindex]').scrollTop = 1e6")
  await late.getByRole('row', { name: /^Slow journey 50 Slow Person50 .* Wait 50 \(Slow Person1\)/ }).waitFor()
  expect(requested.filter((url) => url.includes('/svc.v2.')).length).toBeLessThanOrEqual(12)
  await close()
})

it('says what the service refuses at its field', async () => {
  await menu('Resources')
  await link('Administrators').click()
  await button('Edit').click()
  await page.getByLabel('Type', { exact: true }).fill('repository')
  await page.getByLabel('External ID').fill('repo-1001')
  await button('Review').click()
  await button('Save').click()
  const form = dialog('Change Administrators')
  await form.getByRole('alert').getByText('already has this external id').waitFor()
  expect(await form.getByLabel('External ID').getAttribute('aria-invalid')).toBe('true')
  await form.getByLabel('External ID').fill('repo-3003')
  await button('Review').click()
  await button('Save').click()
  await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
})

it('checks the form of a key while one types', async () => {
  await menu('API keys')
  await button(/Create an API key/).click()
  await page.getByLabel('Name', { exact: true }).fill('n'.repeat(256))
  const form = dialog('Create an API key')
  await form.getByRole('alert').getByText('255 characters').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('n')
  await page.getByLabel('Ends after').fill('4000')
  await form.getByRole('alert').getByText('at most 3,650 days').waitFor()
  // More seconds than the field has room for.
  await page.getByLabel('Ends after').fill('99999')
  await form.getByRole('alert').getByText('Too large.').waitFor()
  await button('Discard changes', form).click()
  await form.waitFor({ state: 'detached' })
})
