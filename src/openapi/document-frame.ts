import type { JsonObject } from '@bufbuild/protobuf'

const PLACEHOLDER_URL = 'http://127.0.0.1:8080'

/** The base addresses in a document that is not being served: callers fill them in. */
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

/** Where a document can be tried, while it is not being served; `path` is that of its page. */
export function placeholderDocs(path: string): JsonObject {
  return { description: 'The reference, where requests can be tried', url: `${PLACEHOLDER_URL}${path}` }
}

/** The license in each document. */
export const license: JsonObject = { name: 'Apache-2.0', identifier: 'Apache-2.0' }
