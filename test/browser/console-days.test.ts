import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startTestConsole, type TestConsole } from '../support/console.js'

// Eight hours behind UTC in winter: much of a day is the next one there.
const ZONE = 'America/Los_Angeles'
let console: TestConsole
let token: string
beforeAll(async () => {
  console = await startTestConsole({}, ZONE)
  token = await console.token()
})
afterAll(() => console.stop())

const role = (userId: string) => `/v2/teams/team_it/members/${userId}`
const endOf = async (userId: string) => (await console.service.rest('GET', role(userId), { token })).json.data.expiresAt
const give = (userId: string, expiresAt: string) =>
  console.service.rest('PUT', role(userId), { token, json: { role: 'TEAM_USER_ROLE_VIEWER', expiresAt } })

describe('the days of the console', () => {
  // 04:00 on the last day of the year in UTC, and 20:00 on the day before by the reader's clock; and the reverse.
  it.each([
    ['2036-12-31T04:00:00.000Z', '2036-12-30'],
    ['2036-12-31T12:00:00.000Z', '2036-12-31'],
    ['2036-07-01T06:59:59.999Z', '2036-06-30'],
  ])('are the reader’s, and an end that is not touched stays: %s', async (expiresAt, day) => {
    await give('user_luca', expiresAt)
    const { page, close } = await console.open('/teams/team_it', token)
    await page.getByRole('button', { name: 'Change the role of Luca Ferri in IT Operations' }).click()
    expect(await page.getByLabel('Ends at the beginning of').inputValue()).toBe(day)
    await page.getByLabel('Role').last().selectOption({ label: 'Agent' })
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await endOf('user_luca')).toBe(expiresAt)
    await close()
  })

  it.each([
    ['2036-12-31', '2036-12-31T08:00:00.000Z'],
    ['2036-07-01', '2036-07-01T07:00:00.000Z'],
  ])('begin at the reader’s midnight, in winter and in summer: %s', async (day, expiresAt) => {
    await give('user_luca', '2036-12-25T04:00:00.000Z')
    const { page, close } = await console.open('/teams/team_it', token)
    await page.getByRole('button', { name: 'Change the role of Luca Ferri in IT Operations' }).click()
    await page.getByLabel('Ends at the beginning of').fill(day)
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await endOf('user_luca')).toBe(expiresAt)
    await close()
  })

  it('are in order on the time line of a journey, whose days are those of the calendar', async () => {
    const { page, close } = await console.open('/journeys/0198a1c0-7d00-7000-8000-000000000001?view=time', token)
    const due = page.getByRole('listitem').filter({ hasText: '9 Jan 2026 Due: Print the badge' })
    await due.waitFor()
    const texts = await page.getByRole('listitem').allTextContents()
    const at = (text: string) => texts.findIndex((each) => each.startsWith(text))
    expect(at('8 Jan 2026, 23:00')).toBeGreaterThan(at('8 Jan 2026 Due'))
    expect(at('9 Jan 2026 Due')).toBeGreaterThan(at('8 Jan 2026, 23:00'))
    expect(await due.getByRole('time').getAttribute('datetime')).toBe('2026-01-09')
    await close()
  })

  it('are the reader’s in the audit log too, to the end of the last one', async () => {
    const { page: audit } = await console.open('/', token)
    const asked = audit.waitForRequest((request) => {
      return request.url().includes('ListAuditEvents') && (request.postData() ?? '').includes('until')
    })
    await audit.goto(`${console.service.baseUrl}/console/audit?since=2026-03-08&until=2026-03-08#token=${token}`)
    // The day on which the clocks go forward has 23 hours.
    expect(JSON.parse((await asked).postData() ?? '{}')).toMatchObject({
      since: '2026-03-08T08:00:00.000Z',
      until: '2026-03-09T07:00:00.000Z',
    })
  })
})
