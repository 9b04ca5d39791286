import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'

// Five hundred resources of an app are edited as one edits them in a spreadsheet: by the keyboard, and by pasting.
const ROWS = 500

let console: TestConsole
let token: string
let opened: ConsolePage
let page: Page
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
  const resources = Array.from({ length: ROWS }, (_, index) => ({
    appInstanceId: 'app_vpn',
    name: `Segment ${String(index + 1).padStart(3, '0')}`,
    resourceType: 'segment',
    externalId: `segment-${index + 1}`,
  }))
  await console.service.rest('POST', '/v2/app-resources/batch', { token, json: { resources } })
  opened = await console.open('/resources?appInstanceId=app_vpn&q=segment', token)
  page = opened.page
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Edit as a table' }).click()
  await grid().getByText(`${ROWS} in all`).waitFor()
})
afterAll(() => console.stop())

const grid = () => page.getByRole('dialog', { name: 'Edit resources as a table' })
const field = (label: string) => grid().getByRole('textbox', { name: label, exact: true })
const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')")

async function paste(label: string, lines: readonly string[]): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(`${lines.join('\r\n')}\r\n`)})`)
  await field(label).focus()
  await page.keyboard.press('ControlOrMeta+v')
}

it('leads up and down a column by Enter and the arrows, also to rows out of sight', async () => {
  await field('Name of Segment 001').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Name of Segment 003')
  for (let row = 3; row < 50; row++) await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Name of Segment 050')
  for (let row = 50; row > 1; row--) await page.keyboard.press('ArrowUp')
  expect(await focused()).toBe('Name of Segment 001')
})

it('fills cells with what is pasted from a spreadsheet, keeps its lines, and says what had no room', async () => {
  const lines = Array.from({ length: ROWS + 2 }, (_, index) =>
    index === 1 ? 'Net 2\t"seg\nment"\t"Two\nlines, ""quoted"""' : `Net ${index + 1}\tsegment\tText ${index + 1}`,
  )
  await paste('Name of Segment 001', lines)
  await grid().getByText(`${ROWS} rows pasted; there was no room for 2 more.`).waitFor()
  expect(await field('Name of Segment 002').inputValue()).toBe('Net 2')
  expect(await field('Type of Segment 002').inputValue()).toBe('seg ment')
  expect(await field('Description of Segment 002').inputValue()).toBe('Two\nlines, "quoted"')
  await grid().getByRole('button', { name: 'Undo' }).click()
  expect(await field('Name of Segment 002').inputValue()).toBe('Segment 002')
  lines[1] = 'Net 2\tsegment\tText 2'
  await grid().getByRole('button', { name: 'Review', exact: true }).waitFor()
  await paste('Name of Segment 001', lines)
  await grid().getByRole('button', { name: 'Review 1,000 changes' }).waitFor()
})

it('takes lines whose quotation marks do not match as they are, and leaves Enter to those who compose letters', async () => {
  await paste('Short name of Segment 001', ['"quoted" and', '"begun only', 'none'])
  await grid().getByText('3 rows pasted.').waitFor()
  expect(await field('Short name of Segment 002').inputValue()).toBe('"begun only')
  await grid().getByRole('button', { name: 'Undo' }).click()
  await field('Name of Segment 001').focus()
  const composed = "new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })"
  await page.evaluate(`document.activeElement.dispatchEvent(${composed})`)
  expect(await focused()).toBe('Name of Segment 001')
})

it('brings the rows that cannot be saved to the top, shows every change, and saves all of them or none', async () => {
  await paste('Short name of Segment 001', [...Array.from({ length: ROWS - 1 }, (_, row) => `net-${row}`), 'two words'])
  await grid().getByRole('button', { name: 'Show 1 row to correct' }).click()
  await grid().getByRole('alert').getByText('characters that cannot be used').waitFor()
  await field('Short name of Segment 500').fill('net-0')
  await grid().getByRole('button', { name: 'Review 1,500 changes' }).click()
  const plan = page.getByRole('dialog', { name: `Change ${ROWS} of ${ROWS}` })
  await plan.getByRole('row', { name: /^Segment 500: Name Segment 500 Net 500$/ }).waitFor()
  expect(await plan.getByRole('row').count()).toBe(1_501)
  await plan.getByRole('button', { name: 'Save all' }).click()
  await grid().getByRole('alert').getByText('Repeats another one: it is unique in the team.').waitFor()
  const { json } = await console.service.rest('GET', '/v2/app-resources?q=net&includeTotal=true', { token })
  expect(json.totalSize).toBe(0)
  await field('Short name of Segment 500').fill('net-500')
  await grid().getByRole('button', { name: 'Review 1,500 changes' }).click()
  await page.getByRole('button', { name: 'Save all' }).click()
  await page.getByRole('status').filter({ hasText: '500 saved.' }).waitFor()
  const { json: after } = await console.service.rest('GET', '/v2/app-resources?q=net&includeTotal=true', { token })
  expect(after.totalSize).toBe(ROWS)
  await page.getByText('Nothing matches').waitFor()
  // The batch that was refused.
  expect(opened.complaints.filter((each) => !each.includes('409 (Conflict)'))).toEqual([])
})
