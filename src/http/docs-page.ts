import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { GUIDES_PATH } from './guides.js'
import { openApiPaths, type PublicUrls } from './openapi-documents.js'
import { createPage, type Page } from './page.js'

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

/** The files of the page itself, in `web/docs` of the package. */
const ownFiles: Readonly<Record<string, string>> = {
  'page.js': JAVASCRIPT,
  'accessibility.js': JAVASCRIPT,
  'theme.js': JAVASCRIPT,
  'token-form.js': JAVASCRIPT,
  'page.css': CSS,
}

/** What a page of the reference shows. */
interface Reference {
  readonly title: string
  /** Where the document is, in both forms. */
  readonly document: { readonly json: string; readonly yaml: string }
  /** The security scheme of the document whose credential the page's form takes, and what it is called. */
  readonly scheme: string
  readonly credential: string
  /** The form of the credential: a pattern as HTML has it, and in words. */
  readonly form: { readonly pattern: string; readonly words: string }
  /** Where the credential comes from, as HTML. */
  readonly help: string
  /** The other page: path and name. */
  readonly other: readonly [path: string, name: string]
}

const ofApi: Reference = {
  title: 'API reference',
  document: openApiPaths.whole,
  scheme: 'accessToken',
  credential: 'Access token',
  form: {
    pattern: String.raw`(svc_(token|user)_[A-Za-z0-9_\-]{43,}|[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+)`,
    words: 'an access token begins with svc_token_ or svc_user_, or is a JWT',
  },
  help: `People get one from <code>npx svc tokens create</code> or your identity provider, programs from
<a href="#/Auth/createToken">POST /v2/auth/token</a>.`,
  other: ['/docs/scim', 'SCIM'],
}

const ofScim: Reference = {
  title: 'SCIM reference',
  document: openApiPaths.scim,
  scheme: 'managementKey',
  credential: 'Management key',
  form: { pattern: 'svc_secret_mk_[0-9A-Za-z]{49}', words: 'a management key begins with svc_secret_mk_' },
  help: 'The secret of a management key, from <code>npx svc keys create --kind mk</code>.',
  other: ['/docs', 'API'],
}

/**
 * The reference pages, of the API and of SCIM, and their assets by path, and the icon of all pages. The viewer comes complete from its npm package,
 * the rest from the package in the folder `root`, and the pages' policy lets the browser talk only to this deployment.
 */
export function createDocsPages(root: string, { publicUrl, publicUrlEu }: PublicUrls): Map<string, Page> {
  const viewer = findViewer()
  const assets = `/docs/assets/${viewer.version}`
  const targets = [publicUrl, publicUrlEu].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]))
  const page = (reference: Reference) =>
    createPage({
      contentType: 'text/html; charset=utf-8',
      body: html(assets, reference),
      headers: { 'content-security-policy': policy(targets) },
    })
  const ownFile = (name: string, contentType: string) =>
    createPage({ contentType, body: readFileSync(join(root, 'web/docs', name)) })
  const viewerFile = (name: string, contentType: string, cacheControl = 'public, max-age=31536000, immutable') =>
    createPage({ contentType, body: readFileSync(join(viewer.folder, name)), cacheControl })
  return new Map([
    ['/docs', page(ofApi)],
    ['/docs/scim', page(ofScim)],
    ...Object.entries(ownFiles).map(([name, type]) => [`/docs/${name}`, ownFile(name, type)] as const),
    [`${assets}/viewer.js`, viewerFile('swagger-ui-bundle.js', JAVASCRIPT)],
    [`${assets}/viewer.css`, viewerFile('swagger-ui.css', CSS)],
    ['/favicon.ico', viewerFile('favicon-32x32.png', 'image/png', 'public, max-age=86400')],
  ])
}

function html(assets: string, reference: Reference): string {
  const { title, document, scheme, credential, form, help, other } = reference
  const [path, name] = other
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${assets}/viewer.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="${assets}/viewer.js" defer></script>
<script src="/docs/page.js" type="module"></script>
</head>
<body>
<header id="bar">
<form id="token-form">
<label for="token">${credential}</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" required pattern="${form.pattern}" title="${form.words}" aria-describedby="token-help">
<button type="submit">Use</button>
<button type="reset">Clear</button>
<output id="token-state" for="token"></output>
<p id="token-help">${help} This tab keeps it until it is closed.</p>
</form>
<nav aria-label="Documents"><a href="/">svc</a> <a href="${GUIDES_PATH}">Guides</a> <a href="${path}">${name}</a> <a href="${document.json}">JSON</a> <a href="${document.yaml}">YAML</a></nav>
<button id="theme" type="button"></button>
</header>
<div id="viewer" data-document="${document.json}" data-scheme="${scheme}"></div>
</body>
</html>
`
}

function policy(targets: readonly string[]): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    // The viewer sets styles of elements, and draws its icons from data URLs.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `connect-src ${["'self'", ...targets].join(' ')}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

function findViewer(): { folder: string; version: string } {
  const file = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  const description: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const version =
    typeof description === 'object' && description !== null && 'version' in description
      ? description.version
      : undefined
  return { folder: dirname(file), version: String(version) }
}
