import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Config } from '../../src/config.js'
import { parseWebhookAllowance } from '../../src/egress/webhook-destination.js'

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
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (path, answer) => void answers.set(path, answer),
    at: (path) => received.filter((each) => each.path === path),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
