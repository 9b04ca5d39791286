import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@bufbuild/protobuf'
import type { NodeRequest } from '../call/node-http.js'
import { GUIDES_PATH } from './guides.js'
import { createPage, type Page } from './page.js'
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
export function createOpenApiDocuments(root: string, urls: PublicUrls): Map<string, (request: NodeRequest) => Page> {
  const pages = new Map<string, (request: NodeRequest) => Page>()
  for (const [name, paths, guide] of [
    ['openapi', openApiPaths.whole, GUIDES_PATH],
    ['revoke', openApiPaths.revoke, `${GUIDES_PATH}/secret-scanning.md`],
    ['scim', openApiPaths.scim, `${GUIDES_PATH}/directory.md`],
  ] as const) {
    const json = readGenerated(root, `${name}.json`)
    const yaml = readGenerated(root, `${name}.yaml`)
    pages.set(paths.json, (request) => {
      const document = { ...parseObject(json), ...addressesFor(request, urls, guide) }
      return createPage({ contentType: 'application/json', body: `${JSON.stringify(document, null, 2)}\n` })
    })
    pages.set(paths.yaml, (request) =>
      createPage({ contentType: 'application/yaml', body: withAddresses(yaml, addressesFor(request, urls, guide)) }),
    )
  }
  return pages
}

function readGenerated(root: string, name: string): string {
  return readFileSync(join(root, 'gen/openapi', name), 'utf8')
}

function parseObject(text: string): JsonObject {
  const parsed: unknown = JSON.parse(text)
  return parsed as JsonObject
}

/** Both regions serve the same paths. An EU address is named only if it is configured. */
function addressesFor(request: NodeRequest, { publicUrl, publicUrlEu }: PublicUrls, guide: string): JsonObject {
  const own = baseUrlFor(request, publicUrl)
  const servers = [{ url: own === '' ? '/' : own, description: 'US region, the default' }]
  if (publicUrlEu !== undefined) servers.push({ url: baseUrlFor(request, publicUrlEu), description: 'EU region' })
  return {
    servers,
    externalDocs: { description: 'The guides', url: `${own}${guide}` },
  }
}

/** Replaces members of a YAML document; JSON on one line is YAML. */
function withAddresses(yaml: string, addresses: JsonObject): string {
  return Object.entries(addresses).reduce((text, [name, value]) => {
    const block = new RegExp(`^${name}:\\n(?: .*\\n)+`, 'm')
    if (!block.test(text)) throw new Error(`the YAML document has no ${name}`)
    return text.replace(block, () => `${name}: ${JSON.stringify(value)}\n`)
  }, yaml)
}
