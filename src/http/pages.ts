import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type NodeRequest, pathOf } from '../call/node-http.js'
import { services } from '../handlers/routes.js'
import { healthService } from '../rpc/health.js'
import { reflectionServices } from '../rpc/reflection.js'
import { CONSOLE_PATH, type ConsoleOptions, createConsole } from './console.js'
import { createGuides, GUIDES_PATH } from './guides.js'
import { createOpenApiDocuments, openApiPaths, type PublicUrls } from './openapi-documents.js'
import { answerOtherMethod, createPage, fillTemplate, HTML, type Page, pageOrText } from './page.js'
import type { Protocol } from './request-handler.js'

export interface PagesOptions extends PublicUrls {
  /** The folder of the package, which contains `web/docs`, the guides and the generated documents. */
  readonly root: string
  readonly version: string
  /** Absent if the console is turned off. */
  readonly console: ConsoleOptions | undefined
  /** Called with failures that no caller sees. */
  readonly onError: (error: unknown, request: NodeRequest) => void
}

/** Answers the index, the console, the reference pages, the guides and the OpenAPI documents. False: another path. */
export function createPages(options: PagesOptions): Protocol {
  const pages = new Map<string, Page>([
    ['/', createIndexPage(options)],
    ...createOpenApiDocuments(options.root, options),
    ...createGuides(options.root),
    ...createReferencePages(options),
  ])
  const consolePage = options.console && createConsole(options.root, options.console)
  return (request, response) => {
    const path = pathOf(request)
    const page = pages.get(path) ?? consolePage?.(path)
    if (page === undefined) return false
    if (answerOtherMethod(request, response)) return true
    page(request, response).catch((error: unknown) => {
      options.onError(error, request)
      response.destroy()
    })
    return true
  }
}

const CONSOLE_ENTRY = `<dt><a href="${CONSOLE_PATH}">${CONSOLE_PATH}</a></dt>
<dd>The console: people, keys and the audit log.</dd>
`

/** The index of the service: what it offers, as JSON, or as a page if the client asks for HTML. */
function createIndexPage({ root, version, console }: PagesOptions): Page {
  const method = '/{service}/{method}'
  const index = {
    name: 'svc',
    version,
    description: 'Access, workflow and ticketing administration API.',
    links: {
      ...(console && { console: CONSOLE_PATH }),
      documentation: '/docs',
      scimDocumentation: '/docs/scim',
      guides: GUIDES_PATH,
      openapi: openApiPaths.whole.json,
      openapiYaml: openApiPaths.whole.yaml,
      revokeOpenapi: openApiPaths.revoke.json,
      revokeOpenapiYaml: openApiPaths.revoke.yaml,
      scimOpenapi: openApiPaths.scim.json,
      scimOpenapiYaml: openApiPaths.scim.yaml,
      alive: '/healthz',
      ready: '/readyz',
    },
    forms: { token: '/v2/auth/token', revocation: '/v2/auth/revoke' },
    protocols: { rest: '/v2', connect: method, grpc: method, grpcWeb: method },
    services: services.map(({ typeName }) => typeName),
    reflection: reflectionServices.map(({ typeName }) => typeName),
    health: [healthService.typeName],
  }
  const json = `${JSON.stringify(index, null, 2)}\n`
  return pageOrText('application/json', json, () =>
    fillTemplate(root, 'index.html', { version, console: console === undefined ? '' : CONSOLE_ENTRY }),
  )
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

/**
 * The reference pages, of the API and of SCIM, with their assets, and the icon of all pages. The viewer comes complete
 * from its npm package, the rest from `web/docs`, and the pages' policy lets the browser talk only to this deployment.
 */
function createReferencePages({ root, publicUrl, publicUrlEu }: PagesOptions): (readonly [path: string, Page])[] {
  const viewer = findViewer()
  const assets = `/docs/assets/${viewer.version}`
  const targets = [publicUrl, publicUrlEu].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]))
  const reference = (name: string) =>
    createPage(HTML, fillTemplate(root, name, { assets }), { 'content-security-policy': policy(targets) })
  const ownFile = (name: string, contentType: string) =>
    [`/docs/${name}`, createPage(contentType, readFileSync(join(root, 'web/docs', name)))] as const
  const viewerFile = (name: string, contentType: string, cache = 'public, max-age=31536000, immutable') =>
    createPage(contentType, readFileSync(join(viewer.folder, name)), { 'cache-control': cache })
  return [
    ['/docs', reference('api.html')],
    ['/docs/scim', reference('scim.html')],
    ...['page.js', 'accessibility.js', 'local-references.js', 'theme.js', 'token-form.js'].map((name) =>
      ownFile(name, JAVASCRIPT),
    ),
    ownFile('page.css', CSS),
    [`${assets}/viewer.js`, viewerFile('swagger-ui-bundle.js', JAVASCRIPT)],
    [`${assets}/viewer.css`, viewerFile('swagger-ui.css', CSS)],
    ['/favicon.ico', viewerFile('favicon-32x32.png', 'image/png', 'public, max-age=86400')],
  ]
}

function policy(targets: readonly string[]): string {
  // The viewer sets styles of elements, and draws its icons from data URLs.
  const sources = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:`
  const connect = ["connect-src 'self'", ...targets].join(' ')
  return `${sources}; ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

function findViewer(): { folder: string; version: string } {
  const file = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  const { version } = Object(JSON.parse(readFileSync(file, 'utf8')))
  return { folder: dirname(file), version: String(version) }
}
