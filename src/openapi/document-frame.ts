import type { JsonObject } from '@bufbuild/protobuf'

const PLACEHOLDER_URL = 'http://127.0.0.1:8080'

/** The base addresses in a document that no server serves: callers fill them in. */
export const placeholderServers: JsonObject[] = [
  {
    url: '{base_url}',
    description: 'US region, the default',
    variables: { base_url: { default: PLACEHOLDER_URL } },
  },
  {
    url: '{base_url_eu}',
    description: 'EU region',
    variables: { base_url_eu: { default: PLACEHOLDER_URL } },
  },
]

/** The address of the guides, or of one guide, in a document that no server serves. */
export function placeholderGuide(name?: string): JsonObject {
  return { description: 'The guides', url: `${PLACEHOLDER_URL}/docs/guides${name === undefined ? '' : `/${name}`}` }
}

/** The license in each document. */
export const license: JsonObject = { name: 'Apache-2.0', identifier: 'Apache-2.0' }
