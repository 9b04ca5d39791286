import { expect } from '@jest/globals'
import { ENTERPRISE, OWNERSHIP, USER } from '../support/scim.js'
import { describeSentences, type Sentence } from '../support/scim-sentences.js'

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

const users = (query: Readonly<Record<string, string>>) => `/Users?${new URLSearchParams(query).toString()}`

const byCodePoints = (one: string, other: string) => (one < other ? -1 : 1)

const sentences: readonly Sentence[] = [
  [
    '3.1',
    'responses are application/scim+json',
    ({ path }) => ['GET', path, undefined, { accept: 'application/json' }],
    200,
    ({ headers }) => expect(headers.get('content-type')).toBe('application/scim+json'),
  ],
  [
    '3.4.1',
    'a resource is returned with its location and version',
    ({ path }) => ['GET', path],
    200,
    ({ headers }, { user }) =>
      expect([headers.get('content-location'), headers.get('etag')]).toEqual([user.meta.location, user.meta.version]),
  ],
  [
    '3.4.1',
    'an unknown resource returns 404 with an error body',
    () => ['GET', '/Users/nobody'],
    404,
    { schemas: [ERROR], status: '404', detail: expect.any(String) },
  ],
  [
    '3.4.2',
    'a list has its total, start index and page size',
    ({ serial }) => ['GET', users({ filter: `userName eq "login.${serial}"` })],
    200,
    ({ body }, { user }) =>
      expect(body).toEqual({
        schemas: [LIST],
        totalResults: 1,
        startIndex: 1,
        itemsPerPage: 1,
        Resources: [user].map((each) => expect.objectContaining({ id: each.id })),
      }),
  ],
  [
    '3.4.2',
    'a list without matches is empty, not an error',
    () => ['GET', users({ filter: 'userName eq "nobody"' })],
    200,
    { totalResults: 0, itemsPerPage: 0, Resources: [] },
  ],
  ['3.4.2', 'unknown parameters are ignored', ({ path }) => ['GET', `${path}?colour=red`], 200],
  [
    '3.4.2.2',
    'attribute names and operators are case-insensitive',
    ({ serial }) => ['GET', users({ filter: `USERNAME Eq "login.${serial}" AND Title PR` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'values that are not case-exact are compared ignoring case',
    ({ serial }) => ['GET', users({ filter: `displayName eq "ADA ${serial}"` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'and binds more tightly than or',
    ({ serial }) => ['GET', users({ filter: `userName eq "login.${serial}" or title eq "x" and active eq false` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'parentheses override precedence',
    ({ serial }) => ['GET', users({ filter: `(userName eq "login.${serial}" or title eq "x") and active eq false` })],
    200,
    { totalResults: 0 },
  ],
  [
    '3.4.2.2',
    'not binds more tightly than and',
    ({ serial }) => ['GET', users({ filter: `not (active eq false) and userName eq "login.${serial}"` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'brackets require one entry that satisfies every condition',
    ({ serial }) => [
      'GET',
      users({ filter: `emails[type eq "home" and value co "@example.com"] and userName eq "login.${serial}"` }),
    ],
    200,
    { totalResults: 0 },
  ],
  [
    '3.4.2.2',
    'ne matches resources with another value',
    ({ serial }) => ['GET', users({ filter: `title ne "Countess" and userName eq "login.${serial}"` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'sw, co and ew match parts of strings',
    ({ serial }) => [
      'GET',
      users({ filter: `userName sw "LOGIN." and userName ew ".${serial}" and name.familyName co "vela"` }),
    ],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'pr matches a complex attribute by any sub-attribute',
    ({ serial }) => ['GET', users({ filter: `name pr and userName eq "login.${serial}"` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'timestamps are compared as times, in any offset',
    ({ user }) => [
      'GET',
      users({
        filter: `id eq "${user.id}" and meta.created le "2999-01-01T00:00:00+02:00" and meta.created gt "2000-01-01T00:00:00Z"`,
      }),
    ],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'gt and lt do not compare booleans',
    () => ['GET', users({ filter: 'active gt true' })],
    400,
    { scimType: 'invalidFilter' },
  ],
  [
    '3.4.2.2',
    'an unknown operator is refused',
    () => ['GET', users({ filter: 'title is "x"' })],
    400,
    { scimType: 'invalidFilter' },
  ],
  [
    '3.4.2.2',
    'attributes of extensions are addressed by URN',
    ({ serial }) => [
      'GET',
      users({ filter: `${ENTERPRISE}:department eq "engines" and userName eq "login.${serial}"` }),
    ],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'a filter on an unsearchable attribute is refused',
    () => ['GET', users({ filter: 'meta.version eq "x"' })],
    400,
    { scimType: 'invalidFilter' },
  ],
  [
    '3.4.2.2',
    'resources can be filtered by schema',
    ({ serial }) => ['GET', users({ filter: `schemas eq "${ENTERPRISE}" and userName eq "login.${serial}"` })],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.2',
    'resources can be filtered by type',
    ({ group }) => [
      'GET',
      `/Groups?filter=${encodeURIComponent(`meta.resourceType eq "Group" and id eq "${group.id}"`)}`,
    ],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.2.3',
    'a list is sorted by an attribute, ascending by default',
    () => ['GET', users({ sortBy: 'userName', count: '5' })],
    200,
    ({ body }) => {
      const names = body.Resources.map(({ userName }: { userName: string }) => userName.toLowerCase())
      expect(names).toEqual([...names].sort(byCodePoints))
    },
  ],
  [
    '3.4.2.3',
    'a list is sorted by the primary entry of an attribute',
    () => ['GET', users({ sortBy: 'emails.value', sortOrder: 'descending', count: '5' })],
    200,
    ({ body }) => {
      const addresses = body.Resources.map(({ emails }: { emails: readonly { value: string }[] }) =>
        emails[0]?.value.toLowerCase(),
      )
      expect(addresses).toEqual([...addresses].sort(byCodePoints).reverse())
    },
  ],
  [
    '3.4.2.4',
    'a startIndex below 1 is 1',
    () => ['GET', users({ startIndex: '0', count: '1' })],
    200,
    { startIndex: 1, itemsPerPage: 1 },
  ],
  [
    '3.4.2.4',
    'a negative count is 0, which requests only the total',
    () => ['GET', users({ count: '-1' })],
    200,
    ({ body }) => expect([body.totalResults > 0, body.itemsPerPage, body.Resources]).toEqual([true, 0, []]),
  ],
  [
    '3.4.2.4',
    'a page has at most as many resources as requested',
    () => ['GET', users({ count: '2' })],
    200,
    ({ body }) => expect([body.itemsPerPage, body.Resources.length]).toEqual([2, 2]),
  ],
  [
    '3.4.2.4',
    'a page beyond the end is empty',
    () => ['GET', users({ startIndex: '100000' })],
    200,
    { itemsPerPage: 0, Resources: [] },
  ],
  [
    '3.4.2.5',
    'attributes limits the response, in addition to those always returned',
    ({ path }) => ['GET', `${path}?attributes=userName,name.givenName`],
    200,
    ({ body }) => {
      expect(Object.keys(body).sort()).toEqual(['id', 'name', 'schemas', 'userName'])
      expect(body.name).toEqual({ givenName: 'Ada' })
    },
  ],
  [
    '3.4.2.5',
    'excludedAttributes are omitted, except those always returned',
    ({ path }) => ['GET', `${path}?excludedAttributes=id,userName,emails.type`],
    200,
    ({ body }, { user }) => {
      expect([body.id, 'userName' in body, 'type' in body.emails[0]]).toEqual([user.id, false, false])
    },
  ],
  [
    '3.4.3',
    'a search by POST finds the same',
    ({ serial }) => [
      'POST',
      '/Users/.search',
      {
        schemas: [SEARCH],
        filter: `userName eq "login.${serial}"`,
        attributes: ['displayName'],
        startIndex: 1,
        count: 10,
      },
    ],
    200,
    ({ body }, { user }) =>
      expect(body).toMatchObject({
        schemas: [LIST],
        totalResults: 1,
        Resources: [{ id: user.id, displayName: user.displayName }],
      }),
  ],
  [
    '3.4.3',
    'a search by POST must name its schema',
    () => ['POST', '/Users/.search', { filter: 'title pr' }],
    400,
    { scimType: 'invalidSyntax' },
  ],
  [
    '3.4.3',
    'groups can be searched by POST',
    ({ group }) => ['POST', '/Groups/.search', { schemas: [SEARCH], filter: `displayName eq "${group.displayName}"` }],
    200,
    { totalResults: 1 },
  ],
  [
    '3.4.3',
    'a search across all resource types is not supported',
    () => ['POST', '/.search', { schemas: [SEARCH] }],
    501,
    { schemas: [ERROR] },
  ],
  [
    '3.7',
    'bulk is announced as unsupported, and is not available',
    () => ['POST', '/Bulk', { schemas: [], Operations: [] }],
    501,
    { schemas: [ERROR] },
  ],
  [
    '3.9',
    'a list has only the requested attributes',
    ({ serial }) => [
      'GET',
      users({ filter: `userName eq "login.${serial}"`, attributes: `${USER}:displayName,${ENTERPRISE}` }),
    ],
    200,
    ({ body }) =>
      expect(Object.keys(body.Resources[0]).sort()).toEqual(['displayName', 'id', 'schemas', ENTERPRISE].sort()),
  ],
  [
    '3.9',
    'the response to a PATCH has only the requested attributes',
    ({ path }) => [
      'PATCH',
      `${path}?attributes=title`,
      { Operations: [{ op: 'replace', path: 'title', value: 'Countess' }] },
    ],
    200,
    ({ body }) => expect(Object.keys(body).sort()).toEqual(['id', 'schemas', 'title']),
  ],
  [
    '3.10',
    'core attributes may be addressed with or without their URN',
    ({ path }) => ['GET', `${path}?attributes=${USER.toUpperCase()}:name.familyName`],
    200,
    { name: { familyName: 'Lovelace' } },
  ],
  ['3.11', '/Me does not exist', () => ['GET', '/Me'], 501, { schemas: [ERROR] }],
  ['3.11', '/Me cannot be changed', () => ['PATCH', '/Me', { Operations: [] }], 501, { schemas: [ERROR] }],
  [
    '3.12',
    'an error has its status as a string, and a detail',
    () => ['GET', '/Users?filter=x'],
    400,
    { schemas: [ERROR], status: '400', scimType: 'invalidFilter', detail: expect.stringMatching(/./) },
  ],
  [
    '3.14',
    'an unchanged user returns 304',
    ({ path, user }) => ['GET', path, undefined, { 'if-none-match': user.meta.version }],
    304,
  ],
  [
    '3.14',
    'a changed user is returned in full',
    ({ path }) => ['GET', path, undefined, { 'if-none-match': 'W/"other"' }],
    200,
  ],
  [
    '3.14',
    'an unchanged group returns 304',
    ({ group }) => ['GET', `/Groups/${group.id}`, undefined, { 'if-none-match': `W/${group.meta.version}` }],
    304,
  ],
  ['4', 'discovery endpoints cannot be filtered', () => ['GET', '/Schemas?filter=id%20pr'], 403, { schemas: [ERROR] }],
  [
    '4',
    'schemas and resource types are returned as lists',
    () => ['GET', '/Schemas'],
    200,
    ({ body }) => expect([body.schemas, body.totalResults, body.Resources.length]).toEqual([[LIST], 4, 4]),
  ],
  ['4', 'a schema is found by its URN', () => ['GET', `/Schemas/${OWNERSHIP}`], 200, { id: OWNERSHIP }],
  ['4', 'discovery endpoints are read-only', () => ['POST', '/Schemas', {}], 405],
]

describeSentences('what RFC 7644 wants of queries', sentences)
