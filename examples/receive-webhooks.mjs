// Receives webhooks: verifies each, and handles it once. WEBHOOK_SECRET is the secret of the endpoint.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '')
const handled = new Set() // In your database, in the transaction of what you do.

async function receive(request, response) {
  const body = await text(request)
  try {
    webhook.verify(body, request.headers)
  } catch {
    return response.writeHead(401).end()
  }
  const id = request.headers['webhook-id']
  if (!handled.has(id)) {
    const { data } = JSON.parse(body)
    console.log(data.position, data.type, data.subject.id)
    handled.add(id)
  }
  response.writeHead(204).end()
}

createServer((request, response) => void receive(request, response)).listen(Number(process.env.PORT ?? 3000))
