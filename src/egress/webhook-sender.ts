import { lookup } from 'node:dns/promises'
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { isIP } from 'node:net'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { destinationFault, hostOf, isPermitted, portOf, type WebhookAllowance } from './webhook-destination.js'

/** How long a receiver may take until its response is complete. */
const TIMEOUT_MILLIS = 15_000
/** How much of a response is read, and how much of that is kept. */
const READ_BYTES = 16 * 1024
const KEPT_BYTES = 1024

/** A POST to a receiver. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver answered, or why it did not. */
export interface SendResult {
  /** Null if there was no response. */
  readonly responseStatus: number | null
  /** The beginning of the response, as text. */
  readonly responseBody: string
  /** Why there was no response; empty if there was one. */
  readonly error: string
  /** The receiver's `Retry-After`. */
  readonly retryAfter?: string | undefined
}

/** Sends a request. Rejects only if the signal aborts. */
export type SendWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<SendResult>

/** How webhooks leave. */
export interface SenderOptions {
  readonly allowance: WebhookAllowance
  /** An egress proxy, which gets the address, not the name. */
  readonly proxy?: string | undefined
  /** The addresses of a name. Default: those of the system. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

/**
 * Makes the sender of one service. A name is resolved for each request, and the connection goes to an address that was
 * judged, so no second answer of the DNS counts. Redirects are not followed.
 */
export function createWebhookSender({ allowance, proxy, resolve = systemAddresses }: SenderOptions): SendWebhook {
  const tunnel = proxy === undefined ? undefined : new HttpsProxyAgent(proxy, { keepAlive: true })
  const agents = {
    'https:': tunnel ?? new TlsAgent({ keepAlive: true }),
    'http:': tunnel ?? new Agent({ keepAlive: true }),
  }

  const addressOf = async (url: URL): Promise<string> => {
    const fault = destinationFault(url, allowance)
    if (fault !== undefined) throw new Error(`the URL ${fault}`)
    const host = hostOf(url)
    const addresses = isIP(host) === 0 ? await resolve(host) : [host]
    const permitted = addresses.find((address) => isPermitted(url, address, allowance))
    if (permitted === undefined) throw new Error(`${host} has no address that webhooks may be sent to`)
    return permitted
  }

  const post = async ({ url: text, headers, body }: WebhookRequest, signal: AbortSignal): Promise<SendResult> => {
    const url = new URL(text)
    const address = await addressOf(url)
    signal.throwIfAborted()
    const isTls = url.protocol === 'https:'
    const host = hostOf(url)
    const options = {
      method: 'POST',
      host: address,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, 'content-length': String(Buffer.byteLength(body)) },
      agent: isTls ? agents['https:'] : agents['http:'],
      // The certificate is that of the name, and an address is no name (RFC 6066, section 3).
      ...(isTls && isIP(host) === 0 && { servername: host }),
      signal,
    }
    for (;;) {
      const request = (isTls ? requestHttps : requestHttp)(options)
      request.end(body)
      const response = await responseOf(request).catch((error: unknown) => {
        // A receiver may close an idle connection just when it is used again (RFC 9112, section 9.3.1).
        if (signal.aborted || !request.reusedSocket) throw error
      })
      if (response !== undefined) return answerOf(response)
    }
  }

  return async (request, signal) => {
    const ending = new AbortController()
    const stop = () => ending.abort(signal.reason)
    const giveUp = () => ending.abort(new Error(`no response within ${TIMEOUT_MILLIS / 1_000} seconds`))
    const timer = setTimeout(giveUp, TIMEOUT_MILLIS)
    signal.addEventListener('abort', stop)
    try {
      signal.throwIfAborted()
      return await unlessAborted(post(request, ending.signal), ending.signal)
    } catch (error) {
      signal.throwIfAborted()
      const reason = textOf(ending.signal.aborted ? ending.signal.reason : error)
      return { responseStatus: null, responseBody: '', error: reason }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }
}

async function systemAddresses(name: string): Promise<string[]> {
  const addresses = await lookup(name, { all: true }).catch((cause: unknown) => {
    throw new Error(`${name} cannot be resolved`, { cause })
  })
  return addresses.map(({ address }) => address)
}

/** Resolving a name cannot be stopped: nobody waits for it any longer. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Stays: after the response, a connection that breaks is told here as well.
    request.on('error', reject)
  })
}

async function answerOf(response: IncomingMessage): Promise<SendResult> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    read += chunk.length
    if (read >= READ_BYTES) break
  }
  const kept = Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8')
  return {
    responseStatus: response.statusCode ?? null,
    // PostgreSQL has no text with U+0000.
    responseBody: kept.replaceAll('\0', '\u{fffd}'),
    error: '',
    retryAfter: response.headers['retry-after'],
  }
}

function textOf(error: unknown): string {
  const text = String(Object(error).message ?? error)
  return text.slice(0, 200) || 'the connection failed'
}
