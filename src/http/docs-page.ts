import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
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

/**
 * The reference page and its assets by path, and the icon of all pages. The viewer comes complete from its npm package,
 * the rest from the package in the folder `root`, and the page's policy lets the browser talk only to this deployment.
 */
export function createDocsPages(root: string, { publicUrl, publicUrlEu }: PublicUrls): Map<string, Page> {
  const viewer = findViewer()
  const assets = `/docs/assets/${viewer.version}`
  const targets = [publicUrl, publicUrlEu].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]))
  const page = createPage({
    contentType: 'text/html; charset=utf-8',
    body: html(assets),
    headers: { 'content-security-policy': policy(targets) },
  })
  const ownFile = (name: string, contentType: string) =>
    createPage({ contentType, body: readFileSync(join(root, 'web/docs', name)) })
  const viewerFile = (name: string, contentType: string, cacheControl = 'public, max-age=31536000, immutable') =>
    createPage({ contentType, body: readFileSync(join(viewer.folder, name)), cacheControl })
  return new Map([
    ['/docs', page],
    ...Object.entries(ownFiles).map(([name, type]) => [`/docs/${name}`, ownFile(name, type)] as const),
    [`${assets}/viewer.js`, viewerFile('swagger-ui-bundle.js', JAVASCRIPT)],
    [`${assets}/viewer.css`, viewerFile('swagger-ui.css', CSS)],
    ['/favicon.ico', viewerFile('favicon-32x32.png', 'image/png', 'public, max-age=86400')],
  ])
}

function html(assets: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="stylesheet" href="${assets}/viewer.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="${assets}/viewer.js" defer></script>
<script src="/docs/page.js" type="module"></script>
</head>
<body>
<header id="bar">
<form id="token-form">
<label for="token">Access token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" required aria-describedby="token-help">
<button type="submit">Use</button>
<button type="reset">Clear</button>
<output id="token-state" for="token"></output>
<p id="token-help">A person’s comes from <code>npx svc tokens create</code> or your identity provider, a program’s from
<a href="#/Auth/createToken">POST /v2/auth/token</a>. This tab keeps it until it is closed.</p>
</form>
<nav aria-label="Documents"><a href="/">svc</a> <a href="${openApiPaths.whole.json}">JSON</a> <a href="${openApiPaths.whole.yaml}">YAML</a></nav>
<button id="theme" type="button"></button>
</header>
<div id="viewer"></div>
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
