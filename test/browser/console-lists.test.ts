import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { startTestConsole, type TestConsole } from '../support/console.js'
import { webhookConfig } from '../support/webhook-receiver.js'

// What lists say in words, and how those are searched that the service does not search.
let console: TestConsole
let token: string
beforeAll(async () => {
  console = await startTestConsole({ config: webhookConfig })
  token = await console.token()
})
afterAll(() => console.stop())

async function open(path: string) {
  const { page } = await console.open(path, token)
  return page
}

it('say how late journeys and their tasks are, which colors do not say to everybody', async () => {
  const list = await open('/journeys')
  await list.getByRole('row', { name: /^Kamala Iyer joins Engineering .* 27 Feb 2026 \d+ \w+ late/ }).waitFor()
  const late = await open('/journeys?state=overdue')
  await late.getByRole('row', { name: /^Move Forge to the new cluster .* 15 Mar 2026 \d+ \w+ late Freeze/ }).waitFor()
  const [, timeLine, table] = await Promise.all(
    ['', '?view=time', '?view=table'].map((view) => open(`/journeys/0198a1c0-7d00-7000-8000-000000000001${view}`)),
  )
  await timeLine?.getByText(/Due: Prepare the workplace, \d+ \w+ late/).waitFor()
  await table?.getByRole('row', { name: /^Prepare the workplace .* \d+ \w+ late/ }).waitFor()
})

it('of apps mark those that another team shares', async () => {
  const page = await open('/apps?teamId=team_it')
  await page.getByRole('row', { name: /^Learning Hub Shared by People Operations/ }).waitFor()
  await page.getByRole('row', { name: /^Remote Access IT Operations/ }).waitFor()
  expect(await page.getByText('Shared by').count()).toBe(1)
  const all = await open('/apps')
  await all.getByRole('row', { name: /^Learning Hub People Operations/ }).waitFor()
})

it('are searched by words of their texts, also where the service searches nothing', async () => {
  for (const [url, description] of [
    ['https://one.example/in', 'For the warehouse of data'],
    ['https://two.example/in', 'For chat'],
  ]) {
    await console.service.rest('POST', '/v2/webhook-endpoints', { token, json: { url, description } })
  }
  const page = await open('/mappings?entityTypeId=type_person')
  const search = page.getByRole('searchbox', { name: 'Search by name' })
  const found = async (...names: RegExp[]) => {
    for (const name of names) await page.getByRole('row', { name }).waitFor()
    await page.getByText(`${names.length} in all`).waitFor()
  }
  await found(/^Email/, /^Name displayName/, /^Cost centre/, /^Name employee/)
  await search.fill('centre COST')
  await found(/^Cost centre/)
  await search.fill('employee.')
  await found(/^Cost centre/, /^Name employee/)
  await search.fill('mapping_person')
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
  await found(/^https:\/\/one/, /^https:\/\/two/)
  await search.fill('data ware')
  await found(/^https:\/\/one/)
})

it('and forms begin with the name', async () => {
  const page = await open('/priorities')
  await page.getByRole('button', { name: 'Create a priority' }).click()
  const form = page.getByRole('dialog', { name: 'Create a priority' })
  expect(await form.getByRole('textbox').first().getAttribute('id')).toBe(
    await form.getByLabel('Name', { exact: true }).getAttribute('id'),
  )
})
