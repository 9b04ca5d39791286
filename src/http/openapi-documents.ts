import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@bufbuild/protobuf'
import type { NodeRequest } from '../call/node-http.js'
import { GUIDES_PATH } from './guides.js'
import { createPage, type NegotiatedPage } from './page.js'
import { baseUrlFor } from './request-target.js'

/** The addresses that documents name. */
export interface PublicUrls {
  readonly publicUrl: string | undefined
  readonly publicUrlEu: string | undefined
}

/** Where the documents are served. */
export const openApiPaths = {
  whole: { json: '/v2/openapi.json', yaml: '/v2/openapi.yaml' },
  revoke: { json: '/v2/auth/revoke/openapi.json', yaml: '/v2/auth/revoke/openapi.yaml' },
  scim: { json: '/scim/v2/openapi.json', yaml: '/scim/v2/openapi.yaml' },
} as const

/**
 * The OpenAPI documents by path: those that are generated, with the base addresses of this deployment
 * as their servers, and its guides. Throws if a generated document is missing.
 */
export function createOpenApiDocuments(root: string, urls: PublicUrls): [path: string, page: NegotiatedPage][] {
  const guides = { whole: '', revoke: '/secret-scanning.md', scim: '/directory.md' }
  return (['whole', 'revoke', 'scim'] as const).flatMap((name): [string, NegotiatedPage][] => {
    const generated = (ending: string) =>
      readFileSync(join(root, 'gen/openapi', `${name === 'whole' ? 'openapi' : name}.${ending}`), 'utf8')
    const [json, yaml] = [generated('json'), generated('yaml')]
    const addresses = (request: NodeRequest) => addressesFor(request, urls, `${GUIDES_PATH}${guides[name]}`)
    return [
      [
        openApiPaths[name].json,
        (request) => {
          const document = { ...Object(JSON.parse(json)), ...addresses(request) }
          return createPage('application/json', `${JSON.stringify(document, null, 2)}\n`)
        },
      ],
      [openApiPaths[name].yaml, (request) => createPage('application/yaml', withAddresses(yaml, addresses(request)))],
    ]
  })
}

/** Both regions serve the same paths. An EU address is named only if it is configured. */
function addressesFor(request: NodeRequest, { publicUrl, publicUrlEu }: PublicUrls, guide: string): JsonObject {
  const own = baseUrlFor(request, publicUrl)
  const servers = [{ url: own === '' ? '/' : own, description: 'US region, the default' }]
  if (publicUrlEu !== undefined) servers.push({ url: baseUrlFor(request, publicUrlEu), description: 'EU region' })
  return { servers, externalDocs: { description: 'The guides', url: `${own}${guide}` } }
}

/** Replaces members of a YAML document; JSON on one line is YAML. */
function withAddresses(yaml: string, addresses: JsonObject): string {
  return Object.entries(addresses).reduce((text, [name, value]) => {
    const block = new RegExp(`^${name}:\\n(?: .*\\n)+`, 'm')
    if (!block.test(text)) throw new Error(`the YAML document has no ${name}`)
    return text.replace(block, () => `${name}: ${JSON.stringify(value)}\n`)
  }, yaml)
}
