// Receives what a secret scanning programme finds, in the form of GitHub's, and reports it to the service. KEYS_URL has
// the public keys of the programme, and BASE_URL is the service.
import { verify } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { settingsFrom } from './settings.mjs'

const [baseUrl] = settingsFrom('BASE_URL')
const keysUrl = process.env.KEYS_URL ?? 'https://api.github.com/meta/public_keys/secret_scanning'
/** So many credentials are found in one report. */
const AT_ONCE = 5

async function isSigned(body, headers) {
  const { public_keys: keys } = await (await fetch(keysUrl)).json()
  const key = keys.find(({ key_identifier: id }) => id === headers['github-public-key-identifier'])
  const signature = Buffer.from(headers['github-public-key-signature'] ?? '', 'base64')
  return key !== undefined && verify('sha256', body, key.key, signature)
}

/** Reports texts, as often as the limit of the service allows. */
async function report(texts) {
  for (;;) {
    const body = new URLSearchParams({ secret: texts.join(' ') })
    const { status, headers } = await fetch(`${baseUrl}/v2/auth/revoke`, { method: 'POST', body })
    if (status === 200) return
    if (status !== 429 && status !== 503) throw new Error(`the service answered ${status}`)
    await setTimeout(Number(headers.get('retry-after') ?? 1) * 1000)
  }
}

async function receive(request, response) {
  const body = await buffer(request)
  if (!(await isSigned(body, request.headers))) return response.writeHead(401).end()
  const tokens = [...new Set(JSON.parse(body.toString()).flatMap(({ token }) => token || []))]
  for (let start = 0; start < tokens.length; start += AT_ONCE) await report(tokens.slice(start, start + AT_ONCE))
  // Without labels: nobody is told which of them were real.
  response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
}

createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error.message)
    response.writeHead(502).end()
  })
}).listen(Number(process.env.PORT ?? 3000))
