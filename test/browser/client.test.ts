import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { launchBrowser } from '../support/browser.js'
import { bundle } from '../support/bundle.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
})
afterAll(() => service.stop())

describe('the client in a browser', () => {
  it('works from a page of an allowed origin, headers of errors included', async () => {
    const browser = await launchBrowser()
    const script = await bundle('test/support/browser-client.ts', 'browser')
    const site = createServer((request, response) => {
      const isScript = request.url === '/client.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? script : '<!doctype html><script type="module" src="/client.js"></script>')
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    const address = site.address()
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
    const open = await startTestService({ config: { corsOrigins: [origin] }, testDatabase: service.testDatabase })
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    try {
      const page = await browser.newPage()
      await page.goto(origin)
      await page.waitForFunction('typeof callService === "function"')
      const ask = (baseUrl: string) =>
        page.evaluate(`callService(${JSON.stringify({ baseUrl, token, journeyId: fixture.journeys.it })})`)
      expect(await ask(open.baseUrl)).toEqual({
        name: 'Journey it',
        challenge: 'Bearer realm="svc", error="invalid_token"',
        reason: 'ERROR_REASON_CREDENTIAL_INVALID',
      })
      // The other service allows no origin: the browser keeps its answers from the page.
      await expect(ask(service.baseUrl)).rejects.toThrow('Failed to fetch')
    } finally {
      await browser.close()
      await open.stop()
      site.close()
    }
  })
})
