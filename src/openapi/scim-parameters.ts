import type { JsonObject } from '@bufbuild/protobuf'
import { MAX_PAGE_SIZE } from '../scim/list-request.js'
import { fragments } from './fragments.js'

function inQuery(name: string, description: string, schema: JsonObject, example?: string): JsonObject {
  return { name, in: 'query', description, required: false, schema, ...(example === undefined ? {} : { example }) }
}

const text: JsonObject = { type: 'string' }

/** The parameters that several SCIM operations accept, as components of a document. */
export const scimParameters: Readonly<Record<string, JsonObject>> = {
  filter: inQuery('filter', 'A filter (RFC 7644 section 3.4.2.2), such as `userName eq "ada@example.com"`.', text),
  startIndex: inQuery('startIndex', 'The 1-based index of the first result. Values below 1 count as 1.', {
    type: 'integer',
    default: 1,
  }),
  count: inQuery(
    'count',
    `The maximum number of resources to return, up to ${MAX_PAGE_SIZE}; 0 returns only the total.`,
    {
      type: 'integer',
      default: 100,
    },
  ),
  sortBy: inQuery('sortBy', 'The attribute to sort by. Default: creation order.', text),
  sortOrder: inQuery('sortOrder', 'The direction of `sortBy`: `ascending` or `descending`, case-insensitive.', {
    type: 'string',
    default: 'ascending',
  }),
  attributes: inQuery(
    'attributes',
    'The attributes to return, comma-separated; `schemas` and `id` are always returned.',
    text,
  ),
  excludedAttributes: inQuery('excludedAttributes', 'The attributes to omit, comma-separated.', text),
  IfMatch: {
    ...fragments.parameters.IfMatch,
    description: 'The `ETag` that the resource must have, a list of them, or `*`; otherwise the response is 412.',
  },
  IfNoneMatch: fragments.parameters.IfNoneMatch,
}

const header = (description: string): JsonObject => ({ description, required: true, schema: { type: 'string' } })

/** The headers of responses with one resource. */
export const scimHeaders: JsonObject = {
  ETag: header('The version of the resource, for `If-Match` and `If-None-Match`.'),
  Location: header('The URL of the new resource.'),
  'Content-Location': header('The URL of the resource.'),
}
