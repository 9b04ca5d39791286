import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openApiPaths, type PublicUrls } from './openapi-documents.js'
import { createPage, type Page } from './page.js'

/** Starts the viewer and keeps the page as dark or light as the reader's system, until the reader chooses. */
const script = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const button = document.getElementById('theme')
const setTheme = (isDark) => {
  document.documentElement.classList.toggle('dark-mode', isDark)
  button.textContent = isDark ? 'Light' : 'Dark'
  button.setAttribute('aria-label', isDark ? 'Switch to light mode' : 'Switch to dark mode')
}
const follow = (event) => setTheme(event.matches)
setTheme(dark.matches)
dark.addEventListener('change', follow)
button.addEventListener('click', () => {
  dark.removeEventListener('change', follow)
  setTheme(!document.documentElement.classList.contains('dark-mode'))
})
SwaggerUIBundle({
  url: '${openApiPaths.whole.json}',
  dom_id: '#viewer',
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  displayOperationId: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'nord' },
  validatorUrl: null,
})
`

const style = `body { margin: 0; background: #fafafa }
#bar { display: flex; gap: 1.5rem; align-items: center; padding: .75rem 1.5rem; font: 14px system-ui, sans-serif; background: #1c2833 }
#bar a, #bar button { color: #fff; font: inherit }
#bar button { margin-left: auto; padding: .25rem .75rem; background: none; border: 1px solid #8895a1; border-radius: 4px; cursor: pointer }
`

/**
 * The reference page and its assets by path. The viewer comes whole from its npm package, and the page's policy lets
 * the browser talk to this deployment alone.
 */
export function createDocsPages({ publicUrl, publicUrlEu }: PublicUrls): Map<string, Page> {
  const viewer = findViewer()
  const assets = `/docs/assets/${viewer.version}`
  const targets = [publicUrl, publicUrlEu].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]))
  const page = createPage({
    contentType: 'text/html; charset=utf-8',
    body: html(assets),
    headers: { 'content-security-policy': policy(targets) },
  })
  const asset = (contentType: string, body: string | Buffer, cacheControl: string) =>
    createPage({ contentType, body, cacheControl })
  const viewerFile = (name: string, contentType: string) =>
    asset(contentType, readFileSync(join(viewer.directory, name)), 'public, max-age=31536000, immutable')
  return new Map([
    ['/docs', page],
    ['/docs/page.js', asset('text/javascript; charset=utf-8', script, 'no-cache')],
    ['/docs/page.css', asset('text/css; charset=utf-8', style, 'no-cache')],
    [`${assets}/viewer.js`, viewerFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8')],
    [`${assets}/viewer.css`, viewerFile('swagger-ui.css', 'text/css; charset=utf-8')],
    [`${assets}/icon.png`, viewerFile('favicon-32x32.png', 'image/png')],
  ])
}

function html(assets: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="${assets}/icon.png">
<link rel="stylesheet" href="${assets}/viewer.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<header id="bar"><a href="/">svc</a><a href="${openApiPaths.whole.json}">JSON</a><a href="${openApiPaths.whole.yaml}">YAML</a><button id="theme" type="button"></button></header>
<main id="viewer"></main>
<script src="${assets}/viewer.js"></script>
<script src="/docs/page.js"></script>
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

function findViewer(): { directory: string; version: string } {
  const file = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  const description: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const version =
    typeof description === 'object' && description !== null && 'version' in description
      ? description.version
      : undefined
  return { directory: dirname(file), version: String(version) }
}
