import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'expect'
import type { Config } from '../../src/config.js'
import { parseWebhookAllowance } from '../../src/egress/webhook-destination.js'
import { eventually } from './eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './fixture.js'
import { startTestService, type TestService } from './service.js'

/** A request that a receiver got. */
export interface ReceivedWebhook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly json: any
}

/** How a receiver answers; a number is a status. */
export type Answer = number | ((response: ServerResponse, received: ReceivedWebhook) => void)

/** A receiver on this machine. */
export interface WebhookReceiver {
  /** Without a path: each path can have an answer of its own. */
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
  /** Sets the answer of a path from now on; the default is 200. */
  answer(path: string, answer: Answer): void
  /** What came to a path. */
  at(path: string): ReceivedWebhook[]
  /** The same, once as many have come; default: 1. */
  arrived(path: string, count?: number): Promise<ReceivedWebhook[]>
  close(): Promise<void>
}

/** Configuration with which a service sends to receivers on this machine. */
export const webhookConfig: Partial<Config> = {
  webhookAllow: parseWebhookAllowance('127.0.0.0/8,::1/128'),
}

/** Starts a receiver. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const answers = new Map<string, Answer>()
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const { url: path = '', headers } = request
    const webhook = { path, headers, body, json: JSON.parse(body) }
    received.push(webhook)
    const answer = answers.get(path) ?? 200
    if (typeof answer === 'number') response.writeHead(answer).end()
    else answer(response, webhook)
  }
  const at = (path: string) => received.filter((each) => each.path === path)
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (path, answer) => void answers.set(path, answer),
    at,
    arrived: async (path, count = 1) => {
      await eventually(() => expect(at(path)).toHaveLength(count))
      return at(path)
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A service with the fixture, and a receiver beside it. */
export interface WebhookService {
  readonly service: TestService
  readonly receiver: WebhookReceiver
  /** Tokens of a key of the organization, and of the administrator. */
  readonly key: string
  readonly admin: string
  /** Calls a method of webhook endpoints by the rest of its path, which must succeed; default: with the key. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  call(method: string, path: string, json?: object, token?: string): Promise<any>
  stop(): Promise<void>
}

/** Starts both. */
export async function startWebhookService(): Promise<WebhookService> {
  const service = await startTestService({ config: webhookConfig })
  const receiver = await startWebhookReceiver()
  await insertFixture(service.database)
  const key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  const admin = await insertUserToken(service.database, { userId: fixture.users.admin })
  return {
    service,
    receiver,
    key,
    admin,
    call: async (method, path, json, token = key) => {
      const answer = await service.rest(method, `/v2/webhook-endpoints${path}`, { token, json })
      expect([answer.status, answer.json]).toEqual([200, answer.json])
      return answer.json
    },
    stop: async () => {
      await service.stop()
      await receiver.close()
    },
  }
}
