import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compress, parsePreferences } from '../call/compression.js'
import { connectErrorJson } from '../call/error-body.js'
import { methodNotAllowed } from '../call/http-failure.js'
import { headerOf, type NodeRequest, type NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { addReason } from '../failure/error-reason.js'

/** Something that is served under one path, to anyone. */
export type Page = ReturnType<typeof createPage>

/** The content codings of pages, best first: their bodies are compressed once. */
const PAGE_CODINGS = ['br', 'gzip'] as const
type PageCoding = (typeof PAGE_CODINGS)[number]

/** Makes a page. Unless its headers say otherwise, caches ask again each time. */
export function createPage(contentType: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  const bytes = Buffer.from(body)
  const bodies = new Map<PageCoding, Promise<Buffer>>()
  return {
    headers: { 'referrer-policy': 'no-referrer', 'cache-control': 'no-cache', 'content-type': contentType, ...headers },
    body: bytes,
    /** The body, compressed once in each way. */
    compressed: (coding: PageCoding) => {
      const made = bodies.get(coding) ?? compress(coding, bytes)
      bodies.set(coding, made)
      return made
    },
  }
}

/** The page that a request gets, by what the client accepts. */
export type NegotiatedPage = (request: NodeRequest) => Page

/** The content type of pages for people. */
export const HTML = 'text/html; charset=utf-8'
const HTML_POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'`

/** A page for people without scripts, made when it is first asked for, if the client accepts HTML; otherwise what programs read. */
export function pageOrText(contentType: string, text: string, html: () => string): NegotiatedPage {
  const headers = { vary: 'accept' }
  const forPrograms = createPage(contentType, text, headers)
  let forPeople: Page | undefined
  return (request) => {
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return forPrograms
    forPeople ??= createPage(HTML, html(), { ...headers, 'content-security-policy': HTML_POLICY })
    return forPeople
  }
}

/** Answers with the page, compressed if the client accepts that. */
export async function sendPage(page: Page, request: NodeRequest, response: NodeResponse): Promise<void> {
  const accepted = parsePreferences(headerOf(request, 'accept-encoding') ?? '')
  const coding = PAGE_CODINGS.find((each) => accepted.some(({ name, weight }) => name === each && weight > 0))
  const body = coding === undefined ? page.body : await page.compressed(coding)
  response.appendHeader('vary', 'accept-encoding')
  const headers = { ...page.headers, ...(coding !== undefined && { 'content-encoding': coding }) }
  endResponse(request, response, 200, headers, body)
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
