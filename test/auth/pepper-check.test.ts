import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Config } from '../../src/config.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { startTestService } from '../support/service.js'

const [first, second, other] = ['the first pepper', 'the second pepper', 'some other pepper']
const none = { current: undefined, previous: undefined }

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  await insertFixture(testDatabase.open())
})
afterAll(() => testDatabase.drop())

/** What `/readyz` of a server with some peppers reports. */
async function readiness(peppers: Config['peppers']) {
  const service = await startTestService({ config: { peppers }, testDatabase })
  try {
    const response = await fetch(`${service.baseUrl}/readyz`)
    const { reasons = {} }: { reasons?: Record<string, string> } = JSON.parse(await response.text())
    return [response.status, ...Object.entries(reasons).flat()]
  } finally {
    await service.close()
  }
}

const notThatOne = [503, 'secretPepper', expect.stringMatching(/^SVC_SECRET_PEPPER is not the one/)]
const missing = [503, 'secretPepper', expect.stringMatching(/^SVC_SECRET_PEPPER is not set/)]
const ready = [200]

describe('the pepper of a server', () => {
  it('is compared with that of the database, through its introduction and its change', async () => {
    // Each row is a start after those before it.
    const starts: [peppers: Config['peppers'], expected: unknown][] = [
      [none, ready],
      [{ current: undefined, previous: first }, ready],
      [{ current: first, previous: undefined }, ready],
      [none, missing],
      [{ current: other, previous: undefined }, notThatOne],
      [{ current: other, previous: second }, notThatOne],
      [{ current: first, previous: second }, ready],
      [{ current: second, previous: first }, ready],
      [{ current: first, previous: undefined }, notThatOne],
      [{ current: second, previous: undefined }, ready],
      [{ current: undefined, previous: second }, ready],
      [none, ready],
      [{ current: other, previous: undefined }, ready],
    ]
    for (const [peppers, expected] of starts) expect([peppers, await readiness(peppers)]).toEqual([peppers, expected])
  })

  it('may be changed beside a server that runs, which stays ready', async () => {
    const running = await startTestService({ config: { peppers: { current: other, previous: first } }, testDatabase })
    const isReady = async () => (await fetch(`${running.baseUrl}/readyz`)).status
    expect(await isReady()).toBe(200)
    expect(await readiness({ current: first, previous: other })).toEqual(ready)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await isReady()).toBe(200)
    await running.close()
    expect(await readiness({ current: other, previous: first })).toEqual(ready)
  })

  it('is the one of several that start at once with different ones', async () => {
    await testDatabase.open().execute(`DELETE FROM signing_keys WHERE name = 'secret_pepper_check'`)
    const peppers = Array.from({ length: 4 }, (_, index) => ({
      current: `pepper number ${index}…`,
      previous: undefined,
    }))
    const answers = await Promise.all(peppers.map((each) => readiness(each)))
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    await testDatabase.open().execute(`DELETE FROM signing_keys WHERE name = 'secret_pepper_check'`)
  })
})

describe('the pepper of a command', () => {
  const run = (args: readonly string[], pepper: string) => {
    const env = { ...testDatabase.environment, PORT: '0', SVC_SECRET_PEPPER: pepper }
    return runInProcess(args, { env })
  }

  it.each([
    [['keys', 'create', '--org', fixture.acme]],
    [['tokens', 'create', '--org', fixture.acme, '--user', fixture.users.admin]],
    [['init', '--org', 'Another', '--admin', 'a@example.com']],
    [['keys', 'find', '-']],
  ])('is refused before anything is stored or looked up if it is another one: %j', async (args) => {
    expect((await run(['keys', 'create', '--org', fixture.acme], first)).status).toBe(0)
    const counts = () =>
      testDatabase.open().query('SELECT (SELECT count(*) FROM api_keys) + (SELECT count(*) FROM user_tokens) AS count')
    const before = await counts()
    const stdin = (await run(['keys', 'create', '--org', fixture.acme], first)).stdout.match(/secret +(\S+)/)?.[1]
    const env = { ...testDatabase.environment, SVC_SECRET_PEPPER: other }
    const refused = await runInProcess(args, { env, ...(stdin && { stdin }) })
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('svc: SVC_SECRET_PEPPER is not the one'),
    ])
    expect(Number((await counts())[0]?.['count'])).toBe(Number(before[0]?.['count']) + 1)
  })

  it('is what the doctor compares, without noting it', async () => {
    const textOf = async (pepper: string) => {
      const { checks }: { checks: { check: string; text: string; healthy: boolean }[] } = JSON.parse(
        (await run(['doctor', '--json'], pepper)).stdout,
      )
      return checks.find(({ check }) => check === 'secret pepper')
    }
    expect(await textOf(first)).toMatchObject({ healthy: true, text: 'is that of the database' })
    expect(await textOf(other)).toMatchObject({ healthy: false, text: expect.stringContaining('is not the one') })
    await eventually(async () => expect(await textOf('')).toMatchObject({ healthy: false }))
  })
})
