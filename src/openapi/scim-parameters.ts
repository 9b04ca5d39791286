import type { JsonObject } from '@bufbuild/protobuf'
import { MAX_PAGE_SIZE } from '../scim/list-request.js'
import { parameterComponents } from './operation-headers.js'

function inQuery(name: string, description: string, schema: JsonObject, example?: string): JsonObject {
  return { name, in: 'query', description, required: false, schema, ...(example === undefined ? {} : { example }) }
}

const text: JsonObject = { type: 'string' }

/** The parameters that several operations of SCIM take, as components of a document. */
export const scimParameters: Readonly<Record<string, JsonObject>> = {
  filter: inQuery(
    'filter',
    'Which resources, in the grammar of RFC 7644 section 3.4.2.2, such as `userName eq "ada@example.com"`.',
    text,
  ),
  startIndex: inQuery('startIndex', 'The position of the first one. Whatever is below 1 counts as 1.', {
    type: 'integer',
    default: 1,
  }),
  count: inQuery('count', `The most resources of the answer, at most ${MAX_PAGE_SIZE}; 0 asks for the total alone.`, {
    type: 'integer',
    default: 100,
  }),
  sortBy: inQuery('sortBy', 'The attribute that orders the list. Without it, the order of creation does.', text),
  sortOrder: inQuery('sortOrder', 'The direction of `sortBy`: `ascending` or `descending`, in any case.', {
    type: 'string',
    default: 'ascending',
  }),
  attributes: inQuery(
    'attributes',
    'The attributes to answer, with commas between them; `schemas` and `id` are always answered.',
    text,
  ),
  excludedAttributes: inQuery('excludedAttributes', 'The attributes to leave out, with commas between them.', text),
  IfMatch: {
    ...parameterComponents.IfMatch,
    description: 'The `ETag` of the version that the request changes, a list of them, or `*`; 412 for another one.',
  },
  IfNoneMatch: parameterComponents.IfNoneMatch,
}

const header = (description: string): JsonObject => ({ description, required: true, schema: { type: 'string' } })

/** The headers of answers about one resource. */
export const scimHeaders: JsonObject = {
  ETag: header('Names the version of the resource, for `If-Match` and `If-None-Match`.'),
  Location: header('The address of the new resource.'),
  'Content-Location': header('The address of the resource.'),
}
