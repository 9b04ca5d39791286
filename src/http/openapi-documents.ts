import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@bufbuild/protobuf'
import type { NodeRequest } from '../call/node-http.js'
import { GUIDES_PATH } from './guides.js'
import { createPage, type Page } from './page.js'
import { baseUrlFor, type Reached } from './request-target.js'

/** The addresses that documents name. */
export interface PublicUrls extends Reached {
  readonly publicUrlEu: string | undefined
}

export const openApiPaths = {
  whole: { json: '/v2/openapi.json', yaml: '/v2/openapi.yaml' },
  revoke: { json: '/v2/auth/revoke/openapi.json', yaml: '/v2/auth/revoke/openapi.yaml' },
  scim: { json: '/scim/v2/openapi.json', yaml: '/scim/v2/openapi.yaml' },
} as const

/**
 * The generated OpenAPI documents by path, with the base addresses of this deployment as their servers, and a link to
 * its guides. Throws if a document is missing.
 */
export function createOpenApiDocuments(root: string, urls: PublicUrls): [path: string, page: Page][] {
  const guides = { whole: '', revoke: '/secret-scanning.md', scim: '/directory.md' }
  return (['whole', 'revoke', 'scim'] as const).flatMap((name): [string, Page][] => {
    const generated = (ending: string) =>
      readFileSync(join(root, 'gen/openapi', `${name === 'whole' ? 'openapi' : name}.${ending}`), 'utf8')
    const [json, yaml] = [generated('json'), generated('yaml')]
    const page =
      (contentType: string, textWith: (addresses: JsonObject) => string): Page =>
      (request, response) => {
        const addresses = addressesFor(request, urls, `${GUIDES_PATH}${guides[name]}`)
        return createPage(contentType, textWith(addresses))(request, response)
      }
    const jsonWith = (addresses: JsonObject) =>
      `${JSON.stringify({ ...Object(JSON.parse(json)), ...addresses }, null, 2)}\n`
    return [
      [openApiPaths[name].json, page('application/json', jsonWith)],
      [openApiPaths[name].yaml, page('application/yaml', (addresses) => withAddresses(yaml, addresses))],
    ]
  })
}

/** The servers of the document. Both regions serve the same paths; an EU address is listed only if configured. */
function addressesFor(request: NodeRequest, { publicUrlEu, ...reached }: PublicUrls, guide: string): JsonObject {
  const own = baseUrlFor(request, reached)
  const servers = [{ url: own === '' ? '/' : own, description: 'US region, the default' }]
  if (publicUrlEu !== undefined)
    servers.push({ url: baseUrlFor(request, { ...reached, publicUrl: publicUrlEu }), description: 'EU region' })
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
