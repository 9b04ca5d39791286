import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { addForScreens, startTestConsole, type TestConsole } from '../support/console.js'
import { fillCrowd, largeJourney } from '../support/console-crowd.js'
import { eventually } from '../support/eventually.js'

// The console of an organization that has more of everything than one call lists.
let console: TestConsole
beforeAll(async () => {
  console = await startTestConsole()
  await console.service.database.transaction(fillCrowd, { withoutTimeout: true })
  await addForScreens(console)
})
afterAll(() => console.stop())

const screens: readonly (readonly [path: string, shows: string | RegExp])[] = [
  ['/', 'Show 992 more API keys'],
  ['/directory', 'crowd 100'],
  ['/people/changes', 'Or paste its lines'],
  ['/people', /100 of 3,0\d\d read/],
  ['/people?manager=crowd_1', 'Nothing matches'],
  ['/people/crowd_1', 'Crowded team 1451'],
  ['/teams', 'IT Operations'],
  ['/teams/crowd_1', 'Crowd Member1'],
  ['/groups', 'Crowded group 1'],
  ['/groups/crowd_1', 'Crowd Member1'],
  ['/apps', 'Crowded team 1500'],
  ['/apps?teamId=crowd_1', 'Crowded app 1500'],
  ['/apps/crowd_1', 'Resource of one 1'],
  ['/resources', 'Crowded app 1500'],
  ['/resources?appInstanceId=crowd_1', 'Resource of one 1'],
  ['/resources/crowd_1', 'Crowded app 1500'],
  ['/policies', 'Crowded team 1500'],
  ['/policies/crowd_1', 'Crowded group 1500'],
  ['/journeys', 'Crowded journey 1'],
  ['/journeys?state=overdue', 'Crowd Member1500'],
  [`/journeys/${largeJourney}`, 'Show 292 more tasks'],
  [`/journeys/${largeJourney}?view=table`, 'Crowd Member1500'],
  [`/journeys/${largeJourney}?view=time`, 'Due: Task 300'],
  ['/priorities', 'Crowded team 1500'],
  ['/priorities/crowd_1', 'Crowded team 1500'],
  ['/slas', 'Crowded team 1500'],
  ['/slas/crowd_1', 'Crowded team 1500'],
  ['/entity-types', 'Crowded team 1500'],
  ['/entity-types/crowd_1', 'Crowded feed 1500'],
  ['/ingestion', 'Crowded app 1500'],
  ['/ingestion/crowd_1', 'Crowded app 1500'],
  ['/mappings?entityTypeId=crowd_1', 'Crowded feed 1500'],
  ['/mappings/crowd_1', 'Crowded feed 1500'],
  ['/keys', 'Crowd Member1'],
  ['/keys/crowd_100', 'Crowded team 1401'],
  ['/events', 'Crowded group 1'],
  ['/audit', 'Show 192 more members'],
  ['/webhooks', 'https://crowd.invalid/1'],
  ['/webhooks/crowd_1', /^Crowded (?:policy|app|SLA|team) \d+$/],
]

/** A screen without what it is about, such as `/teams/…`. */
const shapeOf = (path: string) => path.replace(/\?.*/, '').replace(/(?<=^\/[\w-]+\/)(?!changes).+/, '…')

it('is tried on every screen', () => {
  const list = join(import.meta.dirname, '../support/console-screens.json')
  const all: readonly { readonly path: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  const tried = new Set(screens.map(([path]) => shapeOf(path)))
  expect(all.map(({ path }) => shapeOf(path)).filter((shape) => !tried.has(shape))).toEqual([])
})

it.each(screens)('asks at most twelve times for %s', async (path, shows) => {
  const { page, requested, complaints, close } = await console.open(path, await console.token())
  await page.getByText(shows).first().waitFor()
  // Until every name is known.
  await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
  await eventually(async () => expect(await page.getByText('…', { exact: true }).count()).toBe(0))
  expect(complaints).toEqual([])
  expect(requested.filter((url) => url.includes('/svc.v2.')).length).toBeLessThanOrEqual(12)
  await close()
})

it('shows the first of many, and the others when asked', async () => {
  const { page, close } = await console.open('/', await console.token())
  const ends = page.getByText(/^The API key Crowded key \d+ ends/)
  await page.getByRole('button', { name: 'Show 992 more API keys' }).click()
  await eventually(async () => expect(await ends.count()).toBe(1_000))
  await page.getByRole('button', { name: 'Show 992 more roles' }).waitFor()
  await close()
})

it('lets one do on a phone what can be done about a member, behind the row', async () => {
  const { page, go, close } = await console.open('/teams/crowd_1', await console.token(), { width: 390 })
  await page.getByRole('link', { name: 'Crowd Member1', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Remove Crowd Member1 from Crowded team 1' }).isVisible()).toBe(false)
  await page.getByRole('button', { name: 'More of row 1', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Details of the row' })
  await details.getByRole('button', { name: 'Remove Crowd Member1 from Crowded team 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await details.waitFor({ state: 'detached' })
  await go('/apps/crowd_1')
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('one 1500')
  await page.getByRole('link', { name: 'Resource of one 1500' }).waitFor()
  await close()
})
