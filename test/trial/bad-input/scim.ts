import fc from 'fast-check'
import { bomb, codings, compress } from './bodies.js'
import { authorizations, type Credentials, codingNames, stray, strayTypes } from './headers.js'
import { byteChanges, changed, rarely, spoiledJson, spoils } from './messages.js'
import type { BadRequest } from './protocol.js'
import { CORE, group, groupId, parameters, patch, search, user, userId } from './scim-values.js'

/** Requests of every operation over SCIM. */
export function scimRequests(all: Credentials): fc.Arbitrary<BadRequest> {
  return fc
    .record({
      version: fc.constantFrom('HTTP/1.1' as const, 'HTTP/2' as const),
      operation: operations,
      faults: spoils,
      changes: byteChanges,
      query: fc.array(parameters, { maxLength: 3 }),
      verb: rarely(fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY')),
      suffix: rarely(fc.constantFrom('/', '//', '/x', '%2f', '%00', '%', '%ff', ';a=b', '.json', '/.search', '#a')),
      coding: fc.oneof({ weight: 5, arbitrary: fc.constant('identity' as const) }, fc.constantFrom(...codings)),
      named: rarely(codingNames),
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constant('application/scim+json') },
        { weight: 1, arbitrary: strayTypes },
      ),
      isBomb: fc.nat(300).map((drawn) => drawn === 0),
      authorization: authorizations([all.directory], all),
      stray,
    })
    .map((drawn): BadRequest => {
      const { operation, coding, named, isBomb } = drawn
      const query = drawn.query.join('&')
      const path = `/scim/v2${operation.path}${drawn.suffix ?? ''}${query === '' ? '' : `?${query}`}`
      const method = drawn.verb ?? operation.method
      const about = { protocol: 'SCIM' as const, version: drawn.version, method, path }
      const headers: Record<string, string> = { ...drawn.authorization, ...drawn.stray }
      if (method === 'GET' || method === 'HEAD' || operation.body === undefined) return { ...about, headers }
      headers['content-type'] = drawn.type
      const declared = named ?? (isBomb ? 'gzip' : coding === 'identity' ? undefined : coding)
      if (declared !== undefined) headers['content-encoding'] = declared
      const plain = changed(Buffer.from(spoiledJson(operation.body, drawn.faults)), drawn.changes)
      return { ...about, headers, body: isBomb ? bomb : compress(coding, plain) }
    })
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

const at = (
  kind: string,
  id: fc.Arbitrary<string>,
  method: string,
  body?: fc.Arbitrary<unknown>,
): fc.Arbitrary<Operation> =>
  fc.tuple(id, body ?? fc.constant(undefined)).map(([each, content]) => {
    const path = `${kind}/${encodeURIComponent(each.toWellFormed())}`
    return { method, path, ...(body !== undefined && { body: content }) }
  })
const on = (path: string, method: string, body?: fc.Arbitrary<unknown>): fc.Arbitrary<Operation> =>
  (body ?? fc.constant(undefined)).map((content) => ({ method, path, ...(body !== undefined && { body: content }) }))

const operations: fc.Arbitrary<Operation> = fc.oneof(
  on('/Users', 'GET'),
  on('/Users', 'POST', user),
  at('/Users', userId, 'GET'),
  at('/Users', userId, 'PUT', user),
  at('/Users', userId, 'PATCH', patch),
  at('/Users', userId, 'PATCH', patch),
  at('/Users', userId, 'DELETE'),
  on('/Users/.search', 'POST', search),
  on('/Groups', 'GET'),
  on('/Groups', 'POST', group),
  at('/Groups', groupId, 'GET'),
  at('/Groups', groupId, 'PUT', group),
  at('/Groups', groupId, 'PATCH', patch),
  at('/Groups', groupId, 'DELETE'),
  on('/Groups/.search', 'POST', search),
  fc
    .constantFrom(
      '/Schemas',
      '/ResourceTypes',
      '/ServiceProviderConfig',
      '/Me',
      '/Bulk',
      '',
      '/',
      '/Schemas/x',
      `/Schemas/${CORE}:User`,
      '/ResourceTypes/User',
      '/users',
      '/.search',
    )
    .chain((path) =>
      fc.constantFrom('GET', 'POST').map((method) => ({ method, path, ...(method === 'POST' && { body: {} }) })),
    ),
)
