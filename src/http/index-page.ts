import type { HttpRequest } from '../rpc/http-message.js'
import { openApiPaths } from './openapi-documents.js'
import { createPage, type Page } from './page.js'

const links = {
  documentation: '/docs',
  openapi: openApiPaths.whole.json,
  openapiYaml: openApiPaths.whole.yaml,
  revokeOpenapi: openApiPaths.revoke.json,
  revokeOpenapiYaml: openApiPaths.revoke.yaml,
} as const

/** The index of the service, as JSON, or as a page where the client asks for HTML. */
export function createIndexPage(version: string): (request: HttpRequest) => Page {
  const common = { headers: { vary: 'accept' } }
  const json = createPage({
    ...common,
    contentType: 'application/json',
    body: `${JSON.stringify({ name: 'svc', version, links }, null, 2)}\n`,
  })
  const html = createPage({
    contentType: 'text/html; charset=utf-8',
    headers: {
      ...common.headers,
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'`,
    },
    body: indexHtml(version),
  })
  return (request) => (/\btext\/html\b/i.test(request.headers.accept ?? '') ? html : json)
}

function indexHtml(version: string): string {
  const items = Object.values(links).map((path) => `<li><a href="${path}">${path}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc ${version}</title>
<style>:root { color-scheme: light dark } body { font: 16px system-ui, sans-serif; margin: 3rem }</style>
</head>
<body>
<h1>svc ${version}</h1>
<p>Access, workflow and ticketing administration API.</p>
<ul>
${items.join('\n')}
</ul>
</body>
</html>
`
}
