import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { startTestConsole, type TestConsole } from '../support/console.js'

let console: TestConsole
let token: string
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
})
afterAll(() => console.stop())

const send = (method: string, path: string, json: object, by: string) =>
  console.service.rest(method, path, { token: by, json })

it('a key whose creator leaves is seen where one looks: the person, the deactivation, the overview and the list', async () => {
  expect((await send('PUT', '/v2/users/user_luca', { role: 'USER_ROLE_ORG_ADMIN' }, token)).status).toBe(200)
  for (const [name, userId] of [
    ['Nightly export', 'user_luca'],
    ['Deploy pipeline', 'user_ada'],
  ] as const) {
    const by = await console.token(userId)
    expect((await send('POST', '/v2/api-keys', { name, permissions: ['users:read'] }, by)).status).toBe(200)
  }
  const { page, go, close } = await console.open('/people/user_luca', token)
  const names = async () => {
    await page.getByRole('link', { name: 'Nightly export' }).first().waitFor()
    return page.getByRole('link', { name: /export|pipeline/ }).allTextContents()
  }
  // Among the keys, and among what the person did.
  expect(new Set(await names())).toEqual(new Set(['Nightly export']))

  await page.getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('dialog').getByText('Keys that the person created keep working').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByText('1 key that the person created still works').waitFor()

  await go('/')
  await page.getByRole('link', { name: '1 API key still works though its creator is deactivated' }).click()
  expect(await names()).toEqual(['Nightly export'])
  await page.getByRole('region', { name: 'API keys' }).getByText('Deactivated', { exact: true }).waitFor()
  await close()
})
