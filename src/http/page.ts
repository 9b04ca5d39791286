import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parsePreferences } from '../call/compression.js'
import { connectErrorJson } from '../call/error-body.js'
import { methodNotAllowed } from '../call/http-failure.js'
import { headerOf, type NodeRequest, type NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { addReason } from '../failure/error-reason.js'

/** Answers the GET or HEAD requests for one path, which anyone may send. */
export type Page = (request: NodeRequest, response: NodeResponse) => Promise<void>

/** The content codings of pages, best first. Bodies are compressed once in each way, so better than those of calls. */
const codings: readonly (readonly [name: string, compress: (bytes: Uint8Array) => Promise<Buffer>])[] = [
  ['br', (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } })],
  ['gzip', promisify<Uint8Array, Buffer>(gzip)],
]

/** Makes a page. Unless its headers say otherwise, caches ask again each time. */
export function createPage(
  contentType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Page {
  const bytes = Buffer.from(body)
  const compressed = new Map<string, Promise<Buffer>>()
  const own = { 'referrer-policy': 'no-referrer', 'cache-control': 'no-cache', 'content-type': contentType, ...headers }
  return async (request, response) => {
    const accepted = parsePreferences(headerOf(request, 'accept-encoding') ?? '')
    const [coding, compress] =
      codings.find(([each]) => accepted.some(({ name, weight }) => name === each && weight > 0)) ?? []
    response.appendHeader('vary', 'accept-encoding')
    if (coding === undefined || compress === undefined) return endResponse(request, response, 200, { ...own }, bytes)
    const made = compressed.get(coding) ?? compress(bytes)
    compressed.set(coding, made)
    endResponse(request, response, 200, { ...own, 'content-encoding': coding }, await made)
  }
}

/** The content type of pages for people. */
export const HTML = 'text/html; charset=utf-8'
const HTML_POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'`

/** A page for clients that accept HTML, made when it is first asked for; for others, what programs read. */
export function pageOrText(contentType: string, text: string, html: () => string): Page {
  const headers = { vary: 'accept' }
  const forPrograms = createPage(contentType, text, headers)
  let forPeople: Page | undefined
  return (request, response) => {
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return forPrograms(request, response)
    forPeople ??= createPage(HTML, html(), { ...headers, 'content-security-policy': HTML_POLICY })
    return forPeople(request, response)
  }
}

/** The file of `web/docs` of the package in the folder `root`, with values for its `{{names}}`, which are HTML. */
export function fillTemplate(root: string, name: string, values: Readonly<Record<string, string>>): string {
  const template = readFileSync(join(root, 'web/docs', name), 'utf8')
  return template.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key] ?? '')
}

const ALLOWED = ['GET', 'HEAD', 'OPTIONS']

/** Answers a request that only GET and HEAD are for: OPTIONS with 204, others with 405. False: it is GET or HEAD. */
export function answerOtherMethod(request: NodeRequest, response: NodeResponse): boolean {
  const { method = '' } = request
  if (method === 'GET' || method === 'HEAD') return false
  if (method === 'OPTIONS') {
    endResponse(request, response, 204, { allow: ALLOWED.join(', ') }, '')
    return true
  }
  const { error, status, headers } = methodNotAllowed(method, ALLOWED)
  addReason(error, status)
  const body = JSON.stringify(connectErrorJson(error, {}))
  endResponse(request, response, status, { ...headers, 'content-type': 'application/json' }, body)
  return true
}
