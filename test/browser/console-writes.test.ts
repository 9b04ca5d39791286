import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { httpFormOf } from '../../src/limits/method-rules.js'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { type ConsoleWrite, consoleWrites, methodAt, writingMethods } from '../support/console-writes.js'
import { eventually } from '../support/eventually.js'
import { insertRow } from '../support/fixture.js'

/** What is written without a dialog: revoking what has leaked, by whoever has found it, without a sign-in. */
const withoutDialog = ['revokeLeakedKey']
const deliveryId = '0198a1c0-7d00-7000-8000-0000000000d1'
const organization_id = 'org_acme'

let console: TestConsole
let opened: ConsolePage
let writes: readonly ConsoleWrite[]
beforeAll(async () => {
  console = await startTestConsole()
  const token = await console.token()
  const { service } = console
  const created = async (path: string, json: object): Promise<string> =>
    (await service.rest('POST', path, { token, json })).json.data.id
  const keyId = await created('/v2/api-keys', { name: 'Reports', permissions: ['apps:read'] })
  const endpoint = { url: 'https://hooks.invalid/svc', types: ['priority.update'] }
  const [endpointId, disabledEndpointId] = [
    await created('/v2/webhook-endpoints', endpoint),
    await created('/v2/webhook-endpoints', endpoint),
  ]
  await service.rest('POST', `/v2/webhook-endpoints/${disabledEndpointId}:disable`, { token })
  const target = { organization_id, target_type: 'team', target_id: 'team_it' }
  const event = { ...target, id: deliveryId, actor_kind: 'SYSTEM', action: 'team.update' }
  await insertRow(service.database, 'audit_events', event)
  const due_at = new Date('2100-01-01T00:00:00Z')
  const delivery = { ...target, event_id: deliveryId, endpoint_id: endpointId, position: 1, due_at }
  await insertRow(service.database, 'webhook_deliveries', delivery)
  await service.rest('PUT', '/v2/users/user_hanna', { token, json: { jobTitle: 'Recruiter' } })
  writes = consoleWrites({ keyId, endpointId, deliveryId, disabledEndpointId })
  opened = await console.open('/people/changes', token)
  // Where copied texts go is not for pages to read.
  await opened.page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }')
})
afterAll(() => console.stop())

/** What is not as it should be about the dialog of a write that could be sent. */
async function faultsOf({ method: name, path, open, makesIt = false }: ConsoleWrite): Promise<string[]> {
  const { page } = opened
  const dialog = page.getByRole('dialog')
  const discard = page.getByRole('button', { name: 'Discard changes', exact: true }).last()
  // One for each list of choices, question and dialog that is open.
  await eventually(async () => {
    if (await discard.isVisible()) await discard.click()
    else if ((await dialog.count()) > 0) await page.keyboard.press('Escape')
    expect(await dialog.count()).toBe(0)
  })
  await opened.go('/events')
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await opened.go(path)
  await open(page, dialog)
  await dialog.getByRole('row').nth(1).waitFor()
  await dialog.getByRole('button', { name: 'Copy as curl' }).click()
  const command = await page.evaluate<string>('globalThis.copied')
  const [, verb = '', address = ''] = /-X (\w+) 'https?:\/\/[^/]+([^']*)'/.exec(command) ?? []
  const method = writingMethods.get(name)
  const takesVersion = method !== undefined && httpFormOf(method).ifMatch && !makesIt
  const isSendable = (await dialog.locator('button[aria-disabled]').count()) === 0
  return [
    methodAt(verb, address) === name ? '' : `is ${verb} ${address}`,
    /Idempotency-Key: \w{32}/.test(command) ? '' : 'has no Idempotency-Key',
    /If-Match: "[^"]+"/.test(command) === takesVersion ? '' : `should ${takesVersion ? '' : 'not '}send If-Match`,
    isSendable ? '' : 'cannot be sent',
  ].filter((fault) => fault !== '')
}

it('every write of the console shows what it changes, has a key and the version, and can be copied as a command', async () => {
  const found: string[] = []
  for (const write of writes) {
    const faults = await faultsOf(write).catch((error: unknown) => [String(error).slice(0, 400)])
    found.push(...faults.map((fault) => `${write.method} at ${write.path}: ${fault}`))
  }
  expect(found).toEqual([])
  // The browser reports what is asked for and not there: nothing is.
  expect(opened.complaints).toEqual([])
})

it('the writes of the console are those of its sources', () => {
  const folder = join(import.meta.dirname, '../../console/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  const words = new Set(text.match(/\w+/g))
  // Those of a resource are found by its service, which stands beside its path.
  const paths = new Set([...text.matchAll(/^ {4}path: '([\w-]+)',$/gm)].map(([, path]) => path))
  const ofPath = [...text.matchAll(/[ '](\w[\w-]*)'?: (\w+)Service\b/g)].filter(([, path]) => paths.has(path))
  const nouns = ofPath.map(([, , noun]) => noun).join('|')
  const standard = new RegExp(`^(?:create|update|delete|batchUpdate|archive|unarchive)(?:${nouns})s?$`)
  const named = [...writingMethods.keys()].filter((name) => words.has(name) || standard.test(name))
  const listed = [...new Set(writes.map(({ method }) => method)), ...withoutDialog]
  expect(named.toSorted()).toEqual(listed.toSorted())
})
