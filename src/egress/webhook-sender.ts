import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { createIdleConnections } from './idle-connections.js'
import { createNameResolver, type ResolveName } from './name-resolver.js'
import { destinationFault, hostOf, isPermitted, portOf, type WebhookAllowance } from './webhook-destination.js'

/** How long a receiver may take until its status is there, and from then on for what is kept of its response. */
const TIMEOUT_MILLIS = 15_000
const BODY_MILLIS = 2_000
/** How long one of several addresses may take to accept a connection, before the next one is tried (RFC 8305). */
const ADDRESS_MILLIS = 2_000
/** How long a connection is kept for the next request. */
const IDLE_MILLIS = 10_000
/** How many idle connections are kept; an organization has at most half of those that the others leave. */
const MAX_IDLE = 50
/** How much of a response is read, and how much of that is kept. */
const READ_BYTES = 16 * 1024
const KEPT_BYTES = 1024

export interface WebhookRequest {
  readonly organizationId: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The receiver's response, or why there was none. */
export interface SendResult {
  /** Null if there was no response. */
  readonly responseStatus: number | null
  /** The beginning of the response, as text. */
  readonly responseBody: string
  /** Why there was no response; empty if there was one. */
  readonly error: string
  readonly retryAfter?: string | undefined
}

/** Sends a request. Rejects only if the signal aborts. */
export type SendWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<SendResult>

/** Customers see only this. The fault of the egress proxy is logged for the operator. */
const NO_TUNNEL = 'the egress proxy of the service made no connection'

export interface SenderOptions {
  readonly allowance: WebhookAllowance
  /** An egress proxy, which gets the address, not the name. */
  readonly proxy?: string | undefined
  /** Default: /etc/hosts and the DNS. */
  readonly resolve?: ResolveName
}

/**
 * Makes the sender of one service. Each request resolves the name and connects only to addresses that were checked, so
 * that a second answer of the DNS cannot redirect it. If an address does not answer, the next one is tried; a proxy,
 * too, is asked for one after the other. Redirects are not followed.
 */
export function createWebhookSender({ allowance, proxy, resolve = createNameResolver() }: SenderOptions): SendWebhook {
  const kept = { keepAlive: true, timeout: IDLE_MILLIS }
  const tunnel = proxy === undefined ? undefined : new HttpsProxyAgent(proxy, kept)
  const agents = { 'https:': tunnel ?? new TlsAgent(kept), 'http:': tunnel ?? new Agent(kept) }
  const connections = createIdleConnections(MAX_IDLE)
  for (const agent of new Set(Object.values(agents))) connections.bound(agent)

  /** The addresses that a URL may be sent to. One text for all names without any: it says nothing of them. */
  const addressesOf = async (url: URL, signal: AbortSignal): Promise<readonly [string, ...string[]]> => {
    const fault = destinationFault(url, allowance)
    if (fault !== undefined) throw new Error(`the URL ${fault}`)
    const host = hostOf(url)
    const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
    const [first, ...others] = addresses.filter((address) => isPermitted(url, address, allowance))
    if (first === undefined) throw new Error(`${host} has no address that webhooks may be sent to: see WEBHOOK_ALLOW`)
    return [first, ...others]
  }

  /** Sends a request, and resolves once the status of the response is there. */
  const post = async (
    { organizationId, url: text, headers, body }: WebhookRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> => {
    const url = new URL(text)
    const addresses = await addressesOf(url, signal)
    signal.throwIfAborted()
    const isTls = url.protocol === 'https:'
    const host = hostOf(url)
    const options = {
      method: 'POST',
      host,
      lookup: alwaysTo(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_MILLIS,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      // What is kept of the response is for people to read.
      headers: {
        'accept-encoding': 'identity',
        ...headers,
        host: url.host,
        'content-length': String(Buffer.byteLength(body)),
      },
      agent: isTls ? agents['https:'] : agents['http:'],
      // The certificate is that of the name, and an address is no name (RFC 6066, section 3).
      ...(isTls && isIP(host) === 0 && { servername: host }),
      signal,
    }
    const others = addresses.slice(1)
    for (let address: string | undefined = addresses[0]; ; ) {
      const request = (isTls ? requestHttps : requestHttp)(
        tunnel === undefined ? options : { ...options, host: address },
      )
      let isThrough = tunnel === undefined
      request.once('proxyConnect', ({ statusCode }) => {
        isThrough = statusCode === 200
        if (!isThrough) request.destroy()
      })
      request.once('socket', (socket) => connections.use(socket, organizationId))
      request.end(body)
      const response = await responseOf(request).catch((error: unknown) => {
        // A receiver may close an idle connection just when it is used again (RFC 9112, section 9.3.1).
        if (!signal.aborted && request.reusedSocket) return
        if (isThrough) throw error
        address = signal.aborted ? undefined : others.shift()
        if (address === undefined) throw new Error(NO_TUNNEL)
      })
      if (response !== undefined) return response
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
      const response = await unlessAborted(post(request, ending.signal), ending.signal)
      clearTimeout(timer)
      return await answerOf(response)
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

/** A look-up of the addresses that were judged, whatever the name means by now. */
function alwaysTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, _options, callback) => callback(null, found)
}

/** A proxy that does not answer cannot be left alone at once: nobody waits for it any longer. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Stays: after the response, a connection that breaks is reported here as well.
    request.on('error', reject)
  })
}

/** Reads a response: the status, and as much of the body as arrives in time. */
async function answerOf(response: IncomingMessage): Promise<SendResult> {
  const chunks: Buffer[] = []
  let read = 0
  const timer = setTimeout(() => response.destroy(), BODY_MILLIS)
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      read += chunk.length
      if (read >= READ_BYTES) break
    }
  } catch {
    // A body that breaks off takes nothing from the status.
  } finally {
    clearTimeout(timer)
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

/** What OpenSSL says, without its addresses, functions and files. */
const OPENSSL_REASON = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:\n]+)/

function textOf(error: unknown): string {
  // Of several addresses, each has failed for a reason of its own.
  const text =
    error instanceof AggregateError ? error.errors.map(textOf).join('; ') : String(Object(error).message ?? error)
  const [, reason] = OPENSSL_REASON.exec(text) ?? []
  if (reason !== undefined) return `no TLS connection: ${reason}`
  return text.slice(0, 200) || 'the connection failed'
}
