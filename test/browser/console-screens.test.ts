import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { findingsOf } from '../support/axe.js'
import { addForScreens, type ConsolePage, fillDemo, startTestConsole, type TestConsole } from '../support/console.js'
import { pick } from '../support/console-writes.js'
import { insertRow } from '../support/fixture.js'
import { keyboardFaultsOf, openPalette } from '../support/keyboard.js'

/** A screen with the demo organization: where it is, its title, and a text that it shows. */
interface ConsoleScreen {
  readonly path: string
  readonly title: string
  readonly shows: string
}

const list = join(import.meta.dirname, '../support/console-screens.json')
const consoleScreens: readonly ConsoleScreen[] = JSON.parse(readFileSync(list, 'utf8'))

let console: TestConsole
let opened: ConsolePage
beforeAll(async () => {
  console = await startTestConsole()
  await console.service.database.transaction(fillDemo, { withoutTimeout: true })
  const token = await console.token()
  await addForScreens(console)
  const { apiKey, webhookEndpoint } = console.service.database.models
  await apiKey.updateMany({ where: { name: 'Reports' }, data: { createdAt: new Date('2026-01-01T00:00:00Z') } })
  await webhookEndpoint.updateMany({ data: { failingSince: new Date('2026-01-02T03:04:05Z') } })
  opened = await console.open('/people', token)
  await opened.page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
})
afterAll(() => console.stop())

/** Presses Tab until the focus is on what has this name. */
async function tabTo(name: string): Promise<void> {
  const { page } = opened
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()',
    )
    if (focused === name) return
  }
  throw new Error(`the focus never comes to ${name}`)
}

/** What goes to the end of the list of a screen, again and again, until a text is in it. */
const scrollUntil = (text: string) => `{
  const list = document.querySelector('main section[tabindex]')
  const down = () => {
    if (list.textContent.includes(${JSON.stringify(text)})) return observer.disconnect()
    list.scrollTop = list.scrollHeight
  }
  const observer = new MutationObserver(down)
  observer.observe(list, { childList: true, subtree: true })
  down()
}`

/** The longest line of running text on a screen, in characters: of what has several lines, and of what could have. */
const longestLine = `Math.max(0, ...[...document.querySelectorAll('main p, main dd, main li')].map((text) => {
  const zero = document.createElement('span')
  zero.textContent = '0'.repeat(100)
  zero.style.position = 'absolute'
  text.append(zero)
  const perCharacter = zero.getBoundingClientRect().width / 100
  zero.remove()
  const range = document.createRange()
  const lines = [...text.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map((node) => {
    range.selectNodeContents(node)
    return range.getBoundingClientRect().width / perCharacter
  })
  return Math.max(0, ...lines)
}))`

describe('the console of 100,000 people and 10,000 app instances', () => {
  it.each(consoleScreens)(
    'shows $title at $path, which passes axe and fits the window in both modes and from 390 px to 4K',
    async (screen) => {
      const { page } = opened
      await page.setViewportSize({ width: 1280, height: 844 })
      await page.emulateMedia({ colorScheme: 'light' })
      await opened.go(screen.path)
      await page.getByRole('heading', { level: 1, name: screen.title, exact: true }).waitFor()
      await page.getByText(screen.shows).first().waitFor()
      await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
      expect(await findingsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
      await page.setViewportSize({ width: 390, height: 844 })
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await findingsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(await page.evaluate(`document.querySelector('h1').getBoundingClientRect().right`)).toBeLessThan(390)
      await page.setViewportSize({ width: 3840, height: 2160 })
      expect(await findingsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(3840)
      expect(await page.evaluate(longestLine)).toBeLessThanOrEqual(100)
      expect(opened.complaints).toEqual([])
    },
  )

  it.each(consoleScreens)('is used by the keyboard alone: $title at $path', async ({ path, title, shows }) => {
    const { page } = opened
    await page.setViewportSize({ width: 1280, height: 844 })
    await opened.go(path)
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await page.getByText(shows).first().waitFor()
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
    expect(await keyboardFaultsOf(page)).toEqual([])
  })

  it.each([
    ['/people', 'People', /^\d,\d\d\d of 100,0\d\d read/, 'Person 4000'],
    ['/apps?teamId=team_it', 'Apps', /^10,00\d in all/, 'Service 10000'],
  ])('shows what is far down in %s', async (path, title, count, name) => {
    const { page } = opened
    await opened.go(path)
    const list = page.getByRole('region', { name: title })
    const row = list.getByRole('link', { name, exact: true })
    await list.getByRole('link').first().waitFor()
    await page.evaluate(scrollUntil(name))
    await row.waitFor()
    await page.getByText(count).waitFor()
  })

  it('saves a list of 100,000 people as a whole, each on a line of its own', async () => {
    const { page } = opened
    await opened.go('/people')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n')
    const people = await console.service.database.query<{ n: string }>(
      `SELECT count(*) AS n FROM memberships WHERE organization_id = 'org_acme' AND deactivated_at IS NULL`,
    )
    expect(lines).toHaveLength(Number(people[0]?.n) + 1)
    expect(new Set(lines.map((line) => line.split(',', 1)[0])).size).toBe(lines.length)
    expect(lines.filter((line) => line.startsWith('\ufeff'))).toEqual([expect.stringContaining('ID,Email')])
  })

  it('shows an endpoint with its deliveries, and what its receiver says to a test', async () => {
    const { page } = opened
    await page.setViewportSize({ width: 1280, height: 844 })
    await page.emulateMedia({ colorScheme: 'light' })
    await opened.go('/webhooks')
    await page.getByRole('link', { name: 'https://hooks.invalid/svc' }).click()
    await page.getByText('Nothing was sent').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const answer = 'hooks.invalid has no address that webhooks may be sent to'
    await page.getByRole('status').filter({ hasText: answer }).waitFor()
    await page.locator('#main').getByText(answer).waitFor()
    expect(await findingsOf(page)).toEqual([])
    expect(opened.complaints).toEqual([])
  })

  it('shows the secret of a new endpoint once', async () => {
    const { page } = opened
    await opened.go('/webhooks')
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    await page.getByLabel('URL').fill('https://other.invalid/svc')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('heading', { level: 1, name: 'https://other.invalid/svc' }).waitFor()
    expect(await page.getByText(/^whsec_/).count()).toBe(0)
  })
  it('shows on the overview which endpoints fail, and since when', async () => {
    const { page } = opened
    await opened.go('/')
    await page.getByText(/The webhook https:\/\/hooks\.invalid\/svc has failed since 2 Jan 2026/).waitFor()
  })

  it('finds the keys that nobody has used for 30 days', async () => {
    const { page } = opened
    await opened.go('/')
    await page.getByRole('link', { name: '1 API key has not been used for 30 days' }).click()
    await page.getByRole('link', { name: 'Reports' }).waitFor()
    expect(await page.getByRole('link', { name: 'Deploy pipeline' }).count()).toBe(0)
  })

  it('says in the list of late journeys what each of them waits for', async () => {
    const { page } = opened
    await opened.go('/')
    await page.getByRole('link', { name: '2 journeys are late' }).click()
    const row = page.getByRole('row', { name: /^Kamala Iyer joins Engineering/ })
    const waits =
      'Prepare the workplace (Emre Yıldız), Print the badge (Emre Yıldız), Create the accounts (Chidi Okafor)'
    await row.getByText(waits).waitFor()
  })

  it('archives an SLA definition and puts it back in use', async () => {
    const { page } = opened
    await opened.go('/slas/sla_resolution')
    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('row', { name: 'State In use Archived' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('button', { name: 'Put back in use' }).click()
    await page.getByRole('button', { name: 'Put back', exact: true }).click()
    await page.getByRole('button', { name: 'Archive' }).waitFor()
  })

  it('shares an app instance with a team, and no longer', async () => {
    const { page } = opened
    await opened.go('/apps/app_directory')
    const share = page.getByRole('row', { name: /^Archive/ })
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Share the app' })
    await pick(dialog, 'Team', 'Archive')
    await dialog.getByRole('row', { name: 'In the list of – Archive' }).waitFor()
    await dialog.getByRole('button', { name: 'Share' }).click()
    await share.waitFor()
    await page.getByRole('button', { name: 'Stop sharing with Archive' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click()
    await share.waitFor({ state: 'detached' })
    expect(opened.complaints).toEqual([])
  })

  it('shows on the overview the roles that end soon, wherever they are', async () => {
    const [{ page }, { service }] = [opened, console]
    const { json } = await service.rest('POST', '/v2/teams', { token: await console.token(), json: { name: 'Afar' } })
    const role = { role: 'TEAM_USER_ROLE_VIEWER', expiresAt: new Date(Date.now() + 86_400_000).toISOString() }
    const path = `/v2/teams/${json.data.id}/members/user_goro`
    await service.rest('PUT', path, { token: await console.token(), json: role })
    await page.reload()
    await page.getByLabel('Token').fill(await console.token())
    await page.getByRole('button', { name: 'Use this token' }).click()
    await opened.go('/')
    const line = page.getByRole('listitem').filter({ hasText: /^The role of Goro Tanaka in Afar ends/ })
    await line.getByRole('img', { name: 'Ends tomorrow, on a line of 30 days' }).waitFor()
    await opened.go('/people/user_goro')
    await page.getByRole('row', { name: 'Afar Viewer tomorrow Ends tomorrow, on a line of 90 days' }).waitFor()
  })

  it('gives a person another manager and another address', async () => {
    const { page } = opened
    await opened.go('/people/user_hanna')
    await page.getByRole('button', { name: 'Change the manager' }).click()
    const manager = page.getByRole('dialog', { name: 'Change the manager of Hanna Schulz' })
    await pick(manager, 'Manager', 'Ada Lindqvist')
    await manager.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
    await page.getByRole('button', { name: 'Change the email' }).click()
    await page.getByLabel('Email', { exact: true }).fill('hanna.schulz@acme.example')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('hanna.schulz@acme.example').waitFor()
    const { json } = await console.service.rest('GET', '/v2/users/user_hanna', { token: await console.token() })
    expect(json.data).toMatchObject({ managerUserId: 'user_ada', email: 'hanna.schulz@acme.example' })
  })

  it('saves by the keyboard alone', async () => {
    const { page } = opened
    await opened.go('/teams')
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor()
    await tabTo('Create a team')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Create a team' }).waitFor()
    await tabTo('Name')
    await page.keyboard.type('Legal')
    await tabTo('Review')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'Name – Legal' }).waitFor()
    await tabTo('Create')
    await page.keyboard.press('Space')
    await page.getByRole('heading', { level: 1, name: 'Legal' }).waitFor()
  })

  it.each([
    ['budget own', 'Budget Owners'],
    ['service 9000', 'Service 9000'],
    ['first response, urg', 'First response, urgent'],
    ['owners budg', 'Budget Owners'],
  ])('finds what is not a person by its name: %s', async (text, name) => {
    const { page } = opened
    const dialog = page.getByRole('dialog', { name: 'Find anything' })
    await openPalette(page)
    await page.keyboard.type(text)
    await page.getByRole('option', { name: new RegExp(`^${name}`) }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  it('finds the events about any app by the name of that', async () => {
    const { page } = opened
    await console.service.rest('PATCH', '/v2/app-instances/bulk_9876', {
      token: await console.token(),
      json: { accessRequestsEnabled: true },
    })
    await opened.go('/audit?type=app_instance')
    await pick(page.getByRole('search'), 'Which', 'Service 9876')
    await page.getByRole('listitem').getByText('App updated').waitFor()
    expect(new URL(page.url()).searchParams.get('target')).toBe('bulk_9876')
    expect(await page.getByRole('listitem').filter({ hasText: 'App updated' }).count()).toBe(1)
  })

  it('offers what a list can be of, where it is of one thing', async () => {
    const { page } = opened
    await opened.go('/mappings')
    await page.getByText('Choose an entity type').waitFor()
    const choice = page.getByRole('paragraph').filter({ hasText: 'Person · People Operations' })
    await choice.getByRole('link', { name: 'Person', exact: true }).click()
    await page.getByRole('row', { name: /^Cost centre/ }).waitFor()
    expect(new URL(page.url()).search).toBe('?entityTypeId=type_person')
  })

  it('has what one request did in one entry of the audit log, and the time of each event on a phone', async () => {
    const { page } = opened
    const made = {
      organization_id: 'org_acme',
      actor_kind: 'SYSTEM',
      target_type: 'team',
      request_id: 'request_of_two',
    }
    for (const [id, target_id] of [
      ['0198a1c0-7d00-7000-8000-0000000000e1', 'team_it'],
      ['0198a1c0-7d00-7000-8000-0000000000e2', 'team_people'],
    ]) {
      await insertRow(console.service.database, 'audit_events', { ...made, id, target_id, action: 'team.update' })
    }
    await opened.go('/audit?type=team&action=team.update')
    const entry = page.getByRole('listitem').filter({ hasText: 'on IT Operations' })
    await entry.getByText('on People Operations').waitFor()
    await entry.locator('time').click()
    await page.waitForURL(/request=request_of_two/)
    await opened.go('/events?action=team.update')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('row', { name: 'People Operations' }).locator('time').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('says of the field of an app for its ID elsewhere what that is', async () => {
    const { page } = opened
    await opened.go('/apps')
    await page.getByRole('button', { name: 'Create an app' }).click()
    await page.getByText('The ID of the app in its service').waitFor()
    await page.keyboard.press('Escape')
  })

  it('finds what belongs to the last of many teams, by one request for each kind of thing', async () => {
    const { database } = console.service
    const owner = `'org_acme', 'late_40'`
    for (const statement of [
      `INSERT INTO teams (id, organization_id, name) SELECT 'late_' || n, 'org_acme', 'Late ' || n FROM generate_series(1, 40) n`,
      `INSERT INTO app_instances (id, organization_id, team_id, name) VALUES ('lighthouse', ${owner}, 'Lighthouse')`,
      `INSERT INTO sla_definitions (id, organization_id, team_id, name, target_duration_seconds, starting_point, metric)
       VALUES ('warden', ${owner}, 'Lighthouse keeper answers', 60, 'TICKET_CREATED', 'RESOLUTION')`,
      `INSERT INTO entity_types (id, organization_id, team_id, name) VALUES ('lamps', ${owner}, 'Lamps')`,
      `INSERT INTO entity_ingestion_configs (id, organization_id, team_id, app_instance_id, internal_entity_type_id, service_name)
       VALUES ('feed', ${owner}, 'lighthouse', 'lamps', 'Lighthouse feed')`,
    ]) {
      await database.execute(statement)
    }
    const { page, requested, close } = await console.open('/directory', await console.token())
    await page.getByRole('heading', { level: 1 }).waitFor()
    await openPalette(page)
    requested.length = 0
    await page.keyboard.insertText('lighthouse')
    for (const name of ['Lighthouse App', 'Lighthouse keeper answers SLA', 'Lighthouse feed Ingestion config']) {
      // With the team that it is of.
      await page.getByRole('option', { name: name.replace(/ (?=App|SLA|Ing)/, ' Late 40 '), exact: true }).waitFor()
    }
    const lists = requested.flatMap((address) => /List\w+/.exec(address) ?? [])
    expect(lists).toEqual([...new Set(lists)])
    expect(lists).toEqual(
      expect.arrayContaining(['ListAppInstances', 'ListSlaDefinitions', 'ListEntityIngestionConfigs', 'ListNames']),
    )
    // What has exactly this name comes first, and a word that names nothing may be an id.
    await page.getByRole('combobox', { name: 'Find anything' }).fill('warden')
    await page.getByRole('option', { name: /^Lighthouse keeper answers/ }).waitFor()
    await page.getByRole('combobox', { name: 'Find anything' }).fill('LIGHTHOUSE')
    await page.getByRole('option', { name: /^Lighthouse feed/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Lighthouse', exact: true }).waitFor()
    await close()
  })

  it('has room at 390 px for long names and for those that are written from right to left', async () => {
    const { page } = opened
    await page.setViewportSize({ width: 390, height: 844 })
    const token = await console.token()
    const long = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3)
    for (const [id, json] of [
      ['user_goro', { firstName: 'محمد عبد الرحمن', lastName: 'الخوارزمي', department: 'الموارد البشرية' }],
      ['user_jonas', { firstName: long, lastName: long, jobTitle: long }],
    ] as const) {
      await console.service.rest('PUT', `/v2/users/${id}`, { token, json })
      await opened.go(`/people/${id}`)
      await page.getByRole('heading', { level: 1, name: `${json.firstName} ${json.lastName}` }).waitFor()
      await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
      expect(await findingsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    }
    expect(opened.complaints).toEqual([])
  })
})
