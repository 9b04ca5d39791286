import { services } from '../handlers/routes.js'
import { healthService } from '../rpc/health.js'
import { reflectionServices } from '../rpc/reflection.js'
import { GUIDES_PATH } from './guides.js'
import { openApiPaths } from './openapi-documents.js'
import { type NegotiatedPage, pageOrText } from './page.js'

const description = 'Access, workflow and ticketing administration API.'

/** How methods are called. Braces stand for the names of `services` and of their methods. */
const protocols = {
  rest: { name: 'REST', at: '/v2', text: 'JSON over HTTP, as the reference and the OpenAPI documents describe it.' },
  connect: {
    name: 'Connect',
    at: '/{service}/{method}',
    text: 'JSON or protobuf; methods without side effects also accept GET.',
  },
  grpc: { name: 'gRPC', at: '/{service}/{method}', text: 'Over HTTP/2, also in cleartext.' },
  grpcWeb: { name: 'gRPC-Web', at: '/{service}/{method}', text: 'Over HTTP/1.1 and HTTP/2.' },
} as const

/** What is available by GET, without a credential. */
const links = {
  documentation: { at: '/docs', text: 'The reference, where you can try requests.' },
  scimDocumentation: { at: '/docs/scim', text: 'The SCIM reference, for identity providers.' },
  guides: { at: GUIDES_PATH, text: 'The guides: credentials, field ownership, operations, …' },
  openapi: { at: openApiPaths.whole.json, text: 'OpenAPI 3.1 for the whole API, in JSON.' },
  openapiYaml: { at: openApiPaths.whole.yaml, text: 'The same in YAML.' },
  revokeOpenapi: { at: openApiPaths.revoke.json, text: 'OpenAPI 3.1 for revoking leaked keys, in JSON.' },
  revokeOpenapiYaml: { at: openApiPaths.revoke.yaml, text: 'The same in YAML.' },
  scimOpenapi: { at: openApiPaths.scim.json, text: 'OpenAPI 3.1 for SCIM, for identity providers, in JSON.' },
  scimOpenapiYaml: { at: openApiPaths.scim.yaml, text: 'The same in YAML.' },
  alive: { at: '/healthz', text: 'Whether the process is alive.' },
  ready: { at: '/readyz', text: 'Whether the service is ready for calls.' },
} as const

/** What accepts a form by POST. */
const forms = {
  token: { at: '/v2/auth/token', text: 'Exchanges the id and secret of an API key for an access token.' },
  revocation: { at: '/v2/auth/revoke', text: 'Revokes a leaked key, for anyone who finds one.' },
} as const

/** What programs ask over RPC. */
const probes = {
  reflection: { services: reflectionServices, text: 'The schema, for clients without one.' },
  health: { services: [healthService], text: 'Whether the server, or one of its services, is serving.' },
} as const

/** The index of the service: what it offers, as JSON, or as a page if the client asks for HTML. */
export function createIndexPage(version: string): NegotiatedPage {
  const json = { contentType: 'application/json', body: `${JSON.stringify(indexJson(version), null, 2)}\n` }
  return pageOrText(json, () => indexHtml(version))
}

function indexJson(version: string) {
  return {
    name: 'svc',
    version,
    description,
    links: mapValues(links, ({ at }) => at),
    forms: mapValues(forms, ({ at }) => at),
    protocols: mapValues(protocols, ({ at }) => at),
    services: services.map(({ typeName }) => typeName),
    ...mapValues(probes, (probe) => probe.services.map(({ typeName }) => typeName)),
  }
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, convert: (value: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}

const style = `:root { color-scheme: light dark }
body { margin: 2rem auto; max-width: 44rem; padding: 0 1.25rem; overflow-wrap: anywhere; font: 16px/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas }
dt { margin-top: .75rem; font-weight: 600 } dd { margin: 0 } :focus-visible { outline: 3px solid; outline-offset: 2px }`

function indexHtml(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc ${version}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>svc ${version}</h1>
<p>${description}</p>
${section(
  'Pages and documents',
  Object.values(links).map(({ at, text }) => [`<a href="${at}">${at}</a>`, text]),
)}
${section(
  'Protocols',
  Object.values(protocols).map(({ name, at, text }) => [`${name} <code>${at}</code>`, text]),
)}
${section(
  'Keys and tokens',
  Object.values(forms).map(({ at, text }) => [`<code>POST ${at}</code>`, text]),
)}
${section(
  'For programs that speak RPC',
  Object.values(probes).map((probe) => [
    probe.services.map(({ typeName }) => `<code>${typeName}</code>`).join(', '),
    probe.text,
  ]),
)}
</main>
</body>
</html>
`
}

function section(title: string, entries: readonly (readonly [term: string, text: string])[]): string {
  const items = entries.map(([term, text]) => `<dt>${term}</dt>\n<dd>${text}</dd>`)
  return `<h2>${title}</h2>\n<dl>\n${items.join('\n')}\n</dl>`
}
