import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { ActorKind } from '../../gen/svc/v2/audit_log_pb.js'
import { FieldOwner, UserProfileField, UserRole } from '../../gen/svc/v2/user_pb.js'
import { addForScreens, type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { pick } from '../support/console-writes.js'
import { eventually } from '../support/eventually.js'

const list = join(import.meta.dirname, '../support/console-screens.json')
const screens: readonly { readonly path: string; readonly shows: string }[] = JSON.parse(readFileSync(list, 'utf8'))

let console: TestConsole
let token: string
let opened: ConsolePage
/** A window that shows addresses anew: a new tab for each would be a new process. */
let elsewhere: Page
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
  const { service } = console
  await addForScreens(console)
  await service.database.execute(
    `INSERT INTO audit_events (id, occurred_at, organization_id, actor_kind, action, target_type, target_id)
     SELECT ('0198a1c0-7d00-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now() - n * interval '1 day', 'org_acme',
            'SYSTEM', 'group.update', 'group', 'group_' || n FROM generate_series(1, 250) n`,
  )
  await service.database.execute(
    `INSERT INTO groups (id, organization_id, name) SELECT 'group_' || n, 'org_acme', 'Band ' || n FROM unnest('{7,150}'::int[]) n`,
  )
  await service.database.execute(
    `INSERT INTO app_instances (id, organization_id, team_id, name)
     SELECT 'bulk_' || n, 'org_acme', 'team_it', 'Service ' || n FROM generate_series(1, 2500) n`,
  )
  opened = await console.open('/people/changes', token)
  elsewhere = (await console.open('/people/changes', token)).page
})
afterAll(() => console.stop())

/** The words that a screen shows, once all of it is there: in its texts, and in its fields. */
async function contentOf(page: Page): Promise<string> {
  await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
  return page.evaluate<string>(`(() => {
    const main = document.querySelector('main')
    const fields = [...main.querySelectorAll('input:not([aria-hidden=true]), select')].map((field) => field.value)
    return [main.innerText, ...fields].join('\\n').split(/\\s+/).filter(Boolean).sort().join(' ')
  })()`)
}

/** Opens an address in the other window, which knows nothing of what it showed before. */
async function openElsewhere(address: string): Promise<void> {
  await elsewhere.evaluate('sessionStorage.clear()')
  // From the same address, only the fragment would change.
  await elsewhere.goto('about:blank')
  await elsewhere.goto(`${console.service.baseUrl}${address}#token=${token}`)
}

/** Opens the address of the page in the other window, until both show the same. */
async function expectSameElsewhere(): Promise<void> {
  const { pathname, search } = new URL(opened.page.url())
  await openElsewhere(pathname + search)
  await elsewhere.locator('main h1').waitFor()
  await eventually(async () => expect(await contentOf(elsewhere)).toBe(await contentOf(opened.page)))
  expect(new URL(elsewhere.url()).search).toBe(new URL(opened.page.url()).search)
}

/** What is chosen on a screen: fields by their labels, then tabs and buttons by their names. */
interface Chosen {
  readonly path: string
  readonly select?: Readonly<Record<string, string>>
  readonly type?: Readonly<Record<string, string>>
  readonly press?: readonly string[]
  readonly search: string
  readonly shows: string
}

const day = '2025-01-31'
const chosen: readonly Chosen[] = [
  {
    path: '/people',
    type: { 'Name or email': 'o' },
    select: {
      Department: 'IT',
      Role: 'Member',
      State: 'All',
      Owner: 'Department: Directory',
    },
    search: `?q=o&department=IT&role=${UserRole.ORG_MEMBER}&state=all&owned=${UserProfileField.DEPARTMENT}.${FieldOwner.DIRECTORY}`,
    shows: 'Chidi Okafor',
  },
  {
    path: '/journeys',
    select: { Team: 'People Operations', State: 'Late' },
    search: '?team=team_people&state=overdue',
    shows: 'Kamala',
  },
  ...['Table', 'Time line'].map((tab) => ({
    path: '/journeys/0198a1c0-7d00-7000-8000-000000000001',
    press: [tab],
    search: tab === 'Table' ? '?view=table' : '?view=time',
    shows: 'Create the accounts',
  })),
  {
    path: '/resources?appInstanceId=app_forge',
    type: { 'Search by name': 'grip' },
    search: '?q=grip&appInstanceId=app_forge',
    shows: 'gripper-firmware',
  },
  { path: '/policies', select: { Team: 'IT Operations' }, search: '?teamId=team_it', shows: 'Production systems' },
  { path: '/priorities', select: { Team: 'IT Operations' }, search: '?teamId=team_it', shows: 'Urgent' },
  { path: '/entity-types', select: { Team: 'IT Operations' }, search: '?teamId=team_it', shows: 'Device' },
  { path: '/webhooks', select: { Team: 'IT Operations' }, search: '?teamId=team_it', shows: 'Nothing matches' },
  { path: '/apps', select: { Team: 'People Operations' }, search: '?teamId=team_people', shows: 'Learning Hub' },
  { path: '/slas', select: { Team: 'People Operations' }, search: '?teamId=team_people', shows: 'First response' },
  { path: '/ingestion', select: { Team: 'People Operations' }, search: '?teamId=team_people', shows: 'Read employees' },
  { path: '/mappings', select: { 'Entity type': 'Person' }, search: '?entityTypeId=type_person', shows: 'Name' },
  { path: '/keys', select: { State: 'Active' }, search: '?status=1', shows: 'Deploy pipeline' },
  {
    path: '/audit?target=group_7',
    select: { What: 'Group updated', By: 'System' },
    type: { From: day },
    search: `?target=group_7&since=${day}&action=group.update&kind=${ActorKind.SYSTEM}`,
    shows: 'Band 7',
  },
  { path: '/audit', press: ['Show earlier events'], search: '?pages=2', shows: 'Band 150' },
  { path: '/events?target=user_chidi', search: '?target=user_chidi', shows: 'Chidi Okafor' },
]

/** Chooses in a list of the browser, or a thing that is searched by its name. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true })
  await field.waitFor()
  if ((await page.locator('select').and(field).count()) > 0) return void (await field.selectOption(text))
  await field.click()
  await pick(page.locator('main'), label, text)
}

/** The parameters of a query in one order. */
function sorted(search: string): string {
  return [...new URLSearchParams(search)].map(String).toSorted().join('&')
}

describe('every address of the console is a link', () => {
  it.each(screens)('$path shows in a new window what it shows', async ({ path, shows }) => {
    await opened.go(path)
    await opened.page.locator('main').getByText(shows).first().waitFor()
    await expectSameElsewhere()
  })

  it.each(chosen)('what is chosen on $path is in it: $search', async ({ path, select, type, press, search, shows }) => {
    const { page } = opened
    await opened.go('/people/changes')
    await opened.go(path)
    for (const [label, text] of Object.entries(type ?? {})) await page.getByLabel(label, { exact: true }).fill(text)
    for (const [label, text] of Object.entries(select ?? {})) {
      await choose(page, label, text)
    }
    for (const name of press ?? []) await page.getByText(name, { exact: true }).click()
    await page.waitForURL((url) => sorted(url.search) === sorted(search))
    await page.locator('main').getByText(shows).first().waitFor()
    await expectSameElsewhere()
  })

  it('a list without a filter is one of every team', async () => {
    await opened.go('/slas')
    for (const team of ['IT Operations', 'People Operations']) {
      await opened.page.getByRole('link', { name: team }).first().waitFor()
    }
    await expectSameElsewhere()
  })

  it('how far a long list is scrolled is in it, until a filter is changed', async () => {
    const { page } = opened
    await opened.go('/apps?teamId=team_it')
    const scroller = page.getByRole('region', { name: 'Apps' })
    await scroller.getByRole('link').first().waitFor()
    const scrollTo = (top: string) =>
      page.evaluate(`{
      const list = document.querySelector('main section[tabindex]')
      list.scrollTop = ${top}
    }`)
    while ((await page.getByText(/ in all$/).count()) === 0) {
      const read = (await page.getByText(/ read; scroll for more$/).textContent()) ?? ''
      await scrollTo('list.scrollHeight')
      await page.getByText(read, { exact: true }).waitFor({ state: 'detached' })
    }
    await scrollTo('44 * 1500')
    await page.waitForURL((url) => url.search === '?teamId=team_it&row=1500')
    // The rows are numbered from 1, with that of the headings.
    const name = await scroller.locator('tr[aria-rowindex="1505"]').getByRole('link').first().textContent()
    await openElsewhere('/console/apps?teamId=team_it&row=1500')
    await elsewhere.getByRole('link', { name: String(name), exact: true }).waitFor()
    expect(new URL(elsewhere.url()).search).toBe('?teamId=team_it&row=1500')
    for (const [team, first] of [
      ['People Operations', 'Learning Hub'],
      ['IT Operations', 'Forge (source code)'],
    ] as const) {
      await page.getByRole('button', { name: 'Remove the filter Team' }).click()
      await choose(page, 'Team', team)
      await page.getByRole('link', { name: first, exact: true }).waitFor()
      // Longer than a list stands still before the address says where.
      await page.waitForTimeout(600)
      expect(new URL(page.url()).search).not.toContain('row')
    }
  })
})
