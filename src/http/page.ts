import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { connectErrorJson } from '../call/error-body.js'
import { methodNotAllowed } from '../call/http-failure.js'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { addReason } from '../failure/error-reason.js'

const compress = promisify(gzip)

/** Something that is served under one path, to anyone. */
export interface Page {
  readonly contentType: string
  readonly body: Buffer
  /** The value of `Cache-Control`. */
  readonly cacheControl: string
  readonly headers: Readonly<Record<string, string>>
  /** The body, compressed once. */
  gzipped(): Promise<Buffer>
}

/** What a page is made of. */
export interface PageOptions {
  readonly contentType: string
  readonly body: string | Buffer
  /** Default `no-cache`: caches ask again each time. */
  readonly cacheControl?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes a page. */
export function createPage({ contentType, body, cacheControl = 'no-cache', headers = {} }: PageOptions): Page {
  const bytes = Buffer.from(body)
  let compressed: Promise<Buffer> | undefined
  return {
    contentType,
    body: bytes,
    cacheControl,
    headers: { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', ...headers },
    gzipped: () => {
      compressed ??= compress(bytes)
      return compressed
    },
  }
}

/** The page that a request gets, by what the client accepts. */
export type NegotiatedPage = (request: NodeRequest) => Page

const HTML_POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'`

/** A page for people without scripts, made when it is first asked for, if the client accepts HTML; otherwise what programs read. */
export function pageOrText(text: PageOptions, html: () => string): NegotiatedPage {
  const headers = { vary: 'accept' }
  const forPrograms = createPage({ ...text, headers })
  let forPeople: Page | undefined
  return (request) => {
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return forPrograms
    forPeople ??= createPage({
      contentType: 'text/html; charset=utf-8',
      headers: { ...headers, 'content-security-policy': HTML_POLICY },
      body: html(),
    })
    return forPeople
  }
}

/** Answers with the page, compressed if the client accepts that. */
export async function sendPage(page: Page, request: NodeRequest, response: NodeResponse): Promise<void> {
  const zipped = acceptsGzip(request.headers['accept-encoding'])
  const body = zipped ? await page.gzipped() : page.body
  response.appendHeader('vary', 'accept-encoding')
  const { contentType, cacheControl } = page
  const headers = { ...page.headers, 'content-type': contentType, 'cache-control': cacheControl }
  endResponse(request, response, 200, zipped ? { ...headers, 'content-encoding': 'gzip' } : headers, body)
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((item) => {
      const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
      return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
}

/** Answers a request whose path is known and whose method is not one of `allowed`: OPTIONS with 204, others with 405. */
export function answerOtherMethod(request: NodeRequest, response: NodeResponse, allowed: readonly string[]): void {
  const allow = allowed.join(', ')
  if (request.method === 'OPTIONS') {
    endResponse(request, response, 204, { allow }, '')
    return
  }
  const { error, status, headers } = methodNotAllowed(request.method ?? '', allowed)
  addReason(error, status)
  const body = JSON.stringify(connectErrorJson(error, {}))
  endResponse(request, response, status, { ...headers, 'content-type': 'application/json' }, body)
}
