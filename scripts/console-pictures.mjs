// Makes the pictures of docs/console, wide in light colors and narrow in dark ones, for every screen that has one: node
// scripts/console-pictures.mjs LINK. LINK is what "npm start" prints to open the console of a fresh demo, started with
// a SVC_SEAL_KEY.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const [link = ''] = process.argv.slice(2)
const [, origin, token] = /^(https?:\/\/[^/]+)\/console#token=(\S+)$/.exec(link) ?? []
if (token === undefined)
  throw new Error('usage: node scripts/console-pictures.mjs http://127.0.0.1:8080/console#token=…')
const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/console')
const screens = JSON.parse(await readFile(join(root, 'test/support/console-screens.json'), 'utf8'))

await prepare()
await mkdir(folder, { recursive: true })
const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
const page = await browser.newPage()
await page.goto(link)
await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
for (const { path, title, shows, picture } of screens.filter((screen) => screen.picture !== undefined)) {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(`/console${path}`)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await page.getByText(shows).first().waitFor()
  await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
  for (const [width, height, colorScheme] of [
    [1280, 800, 'light'],
    [390, 844, 'dark'],
  ]) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    await page.waitForTimeout(150)
    await page.screenshot({ path: join(folder, `${picture}-${width}-${colorScheme}.png`) })
  }
}
await browser.close()

/** Adds what the demo lacks: a skipped write, keys and a webhook endpoint. */
async function prepare() {
  const send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(origin + path, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  }
  await send('PUT', '/v2/users/user_chidi', { department: 'Sales', timezone: 'Europe/Paris' })
  for (const [name, teamId] of [
    ['Deploy pipeline', 'team_it'],
    ['Reports', ''],
  ]) {
    await send('POST', '/v2/api-keys', { name, teamId, permissions: ['apps:read', 'apps:write'] })
  }
  await send('POST', '/v2/webhook-endpoints', { url: 'https://hooks.invalid/svc', types: ['priority.update'] })
}
