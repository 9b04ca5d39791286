import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { eventually } from '../support/eventually.js'
import { startWebhookReceiver, type WebhookReceiver, webhookConfig } from '../support/webhook-receiver.js'

/** What ends every kind of quote and runs where it is taken for markup. */
const MARKUP = `'"></a><script>document.title='taken'</script><img src=x onerror="document.title='taken'">`
const SCRIPT_URL = `javascript:document.title='taken'//`

describe('whoever may write names', () => {
  let console: TestConsole
  let receiver: WebhookReceiver
  let token: string
  let opened: ConsolePage
  let screens: readonly string[]
  beforeAll(async () => {
    console = await startTestConsole({ config: webhookConfig })
    receiver = await startWebhookReceiver()
    receiver.answer('/', (response) => response.setHeader('content-type', 'text/html').end(MARKUP))
    token = await console.token()
    const send = async (method: string, path: string, json: object) => {
      const answer = await console.service.rest(method, path, { token, json })
      expect([answer.status, answer.json]).toEqual([200, answer.json])
      return answer.json.data
    }
    const name = MARKUP
    await send('PUT', '/v2/users/user_dora', { firstName: name, jobTitle: name, department: name })
    const team = await send('POST', '/v2/teams', { name })
    const group = await send('POST', '/v2/groups', { name })
    const card = { name, description: name, url: SCRIPT_URL, version: name }
    const app = await send('POST', '/v2/app-instances', { teamId: 'team_it', name, a2aAgentCard: card })
    const policy = await send('POST', '/v2/access-policies', { teamId: 'team_it', name })
    await send('POST', '/v2/api-keys', { name, permissions: ['users:read'] })
    const hook = { url: `${receiver.url}/`, description: name, types: ['team.update'] }
    const endpoint = await send('POST', '/v2/webhook-endpoints', hook)
    await console.service.rest('POST', `/v2/webhook-endpoints/${endpoint.id}:test`, { token, json: {} })
    screens = [
      ...['/people?q=Marin', '/people/user_dora', '/teams', `/teams/${team.id}`, '/groups', `/groups/${group.id}`],
      ...['/apps?teamId=team_it', `/apps/${app.id}`, '/policies', `/policies/${policy.id}`, '/keys'],
      ...['/audit', '/events', '/webhooks', `/webhooks/${endpoint.id}`],
    ]
    opened = await console.open('/', token)
    await opened.page.getByText('Ada Lindqvist').first().waitFor()
  })
  afterAll(async () => {
    await console.stop()
    await receiver.close()
  })

  it('runs nothing in the browsers of others, and gives them no link to a script', async () => {
    const { page, complaints } = opened
    for (const screen of screens) {
      await opened.go(screen)
      // It is shown as text, so that what is tried here is tried.
      await eventually(async () => {
        expect(await page.evaluate<string>(`document.querySelector('main')?.innerText ?? ''`)).toContain('onerror=')
      })
      const found = await page.evaluate<readonly [string, number, number]>(`[
        document.title,
        document.querySelectorAll('img[src="x"], main script').length,
        [...document.querySelectorAll('[href], [src], [action]')]
          .filter((each) => /^\\s*(?:javascript|data:text)/i.test(each.href ?? each.src ?? each.action)).length,
      ]`)
      expect([screen, ...found.slice(1)]).toEqual([screen, 0, 0])
      expect(found[0]).not.toBe('taken')
    }
    expect(complaints).toEqual([])
  })

  it('could not run what got into the page: the policy forbids scripts of the page and calls to other hosts', async () => {
    const { page, complaints } = opened
    const ran = await page.evaluate<unknown>(`(async () => {
      const script = document.createElement('script')
      script.textContent = "document.title = 'taken'"
      document.body.append(script)
      const image = document.createElement('img')
      image.setAttribute('onerror', "document.title = 'taken'")
      image.src = 'data:image/png;base64,none'
      document.body.append(image)
      const sent = await fetch('http://127.0.0.1:1/').then(() => 'sent', () => 'refused')
      await new Promise((done) => setTimeout(done, 100))
      return [document.title === 'taken', sent]
    })()`)
    expect(ran).toEqual([false, 'refused'])
    expect(complaints.filter((each) => each.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(3)
  })
})

describe('whoever has people open a page of theirs', () => {
  let console: TestConsole
  let elsewhere: Server
  let origin: string
  beforeAll(async () => {
    console = await startTestConsole()
    elsewhere = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<iframe src="${console.service.baseUrl}/console/"></iframe>`)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => elsewhere.once('listening', resolve))
    origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    elsewhere.closeAllConnections()
    await new Promise((resolve) => elsewhere.close(resolve))
    await console.stop()
  })

  it('cannot put the console into a frame of it', async () => {
    const { page, complaints, close } = await console.open('/')
    await page.goto(origin)
    await page.waitForLoadState('networkidle')
    const [frame] = page.mainFrame().childFrames()
    expect(await frame?.evaluate<string>('document.body?.innerText ?? ""').catch(() => '')).not.toContain('Sign in')
    expect(complaints.some((each) => each.includes('frame-ancestors'))).toBe(true)
    await close()
  })

  it('finds the token of a link neither in the history nor in what the browser sends, nor in its storage', async () => {
    const token = await console.token()
    const { page, requested, close } = await console.open('/teams', token)
    const referrers: string[] = []
    page.on('request', (request) => referrers.push(request.headers()['referer'] ?? ''))
    await page.getByText('IT Operations').first().waitFor()
    await page.getByRole('link', { name: 'IT Operations' }).first().click()
    await page.waitForURL(/team_it/)
    await page.goBack()
    const kept = await page.evaluate<string>(`JSON.stringify([
      location.href, document.referrer, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state,
      performance.getEntries().map(({ name }) => name), navigation.entries().map(({ url }) => url),
    ])`)
    const secret = token.slice('svc_user_'.length)
    // The entry of the visit itself is the page's alone, and ends with it.
    expect(kept.replaceAll(`${console.service.baseUrl}/console/teams#token=${token}`, '')).not.toContain(secret)
    expect(requested.slice(1).filter((url) => url.includes(secret))).toEqual([])
    expect(referrers.filter((each) => each !== '')).toEqual([])
    await page.goto(origin)
    expect(await page.evaluate<string>('document.referrer')).toBe('')
    await page.goBack()
    expect(page.url()).not.toContain(secret)
    await close()
  })
})
