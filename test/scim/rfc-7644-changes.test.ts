import { expect } from '@jest/globals'
import { ENTERPRISE, GROUP, USER } from '../support/scim.js'
import { describeSentences, type Sentence } from '../support/scim-sentences.js'

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const patch = (...Operations: readonly object[]) => ({ schemas: [PATCH], Operations })

const sentences: readonly Sentence[] = [
  [
    '3.3',
    'a creation returns 201, the location and the resource',
    ({ serial }) => ['POST', '/Users', { schemas: [USER], userName: `n.${serial}@example.com`, title: 'Poet' }],
    201,
    ({ body, headers }) =>
      expect([body.title, headers.get('location'), headers.get('etag')]).toEqual([
        'Poet',
        body.meta.location,
        body.meta.version,
      ]),
  ],
  [
    '3.3',
    'read-only attributes in a creation are ignored',
    ({ serial }) => [
      'POST',
      '/Users',
      { schemas: [USER], userName: `n.${serial}@example.com`, id: 'mine', groups: [{ value: 'x' }] },
    ],
    201,
    ({ body }) => expect([body.id === 'mine', 'groups' in body]).toEqual([false, false]),
  ],
  [
    '3.3',
    'creating an existing resource is a conflict',
    ({ user }) => ['POST', '/Users', { schemas: [USER], userName: user.userName, emails: user.emails }],
    409,
    { scimType: 'uniqueness' },
  ],
  [
    '3.3',
    'a creation returns the same as a subsequent read',
    ({ serial, user }) => [
      'POST',
      '/Users',
      { schemas: [USER], userName: `n.${serial}@example.com`, [ENTERPRISE]: { manager: { value: user.id } } },
    ],
    201,
    async ({ body }, { directory }) => expect(body).toEqual((await directory.send('GET', `/Users/${body.id}`)).body),
  ],
  [
    '3.3',
    'the creation of a group returns its location',
    ({ serial }) => ['POST', '/Groups', { schemas: [GROUP], displayName: `New ${serial}` }],
    201,
    ({ body, headers }) =>
      expect([headers.get('location'), headers.get('etag')]).toEqual([body.meta.location, body.meta.version]),
  ],
  [
    '3.5.1',
    'a replacement clears omitted attributes',
    ({ path, user }) => ['PUT', path, { schemas: [USER], userName: user.userName, emails: user.emails }],
    200,
    ({ body }, { user }) => expect([body.userName, body.emails]).toEqual([user.userName, user.emails]),
  ],
  [
    '3.5.1',
    'a replacement without a required attribute is refused',
    ({ path }) => ['PUT', path, { schemas: [USER], title: 'Poet' }],
    400,
    { scimType: 'invalidValue' },
  ],
  [
    '3.5.1',
    'a replacement does not create a resource',
    () => ['PUT', '/Users/nobody', { schemas: [USER], userName: 'nobody@example.com' }],
    404,
  ],
  [
    '3.5.1',
    'a replacement returns the whole resource',
    ({ path, user }) => ['PUT', path, { ...user, title: 'Poet' }],
    200,
    { title: 'Poet', meta: { resourceType: 'User' } },
  ],
  [
    '3.5.1',
    "a replacement with another resource's unique value is a conflict",
    ({ path, user, serial }) => ['PUT', path, { ...user, userName: serial === 1 ? 'nobody' : 'login.1' }],
    409,
    { scimType: 'uniqueness' },
  ],
  [
    '3.5.2',
    'a PATCH returns the changed resource',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'title', value: 'Poet' })],
    200,
    { title: 'Poet' },
  ],
  [
    '3.5.2',
    'operations are applied in order',
    ({ path }) => [
      'PATCH',
      path,
      patch({ op: 'add', path: 'title', value: 'One' }, { op: 'replace', path: 'title', value: 'Two' }),
    ],
    200,
    { title: 'Two' },
  ],
  [
    '3.5.2',
    'if one operation fails, none is applied',
    ({ path }) => [
      'PATCH',
      path,
      patch({ op: 'replace', path: 'title', value: 'Poet' }, { op: 'replace', path: 'id', value: 'x' }),
    ],
    400,
    async ({ body }, { directory, path, user }) => {
      expect(body.scimType).toBe('mutability')
      expect((await directory.send('GET', path)).body).toEqual(
        expect.objectContaining({ title: user.title, meta: user.meta }),
      )
    },
  ],
  [
    '3.5.2',
    'a PATCH of an unknown user returns 404',
    () => ['PATCH', '/Users/nobody', patch({ op: 'replace', path: 'title', value: 'x' })],
    404,
  ],
  [
    '3.5.2',
    'an unknown operation is refused',
    ({ path }) => ['PATCH', path, patch({ op: 'move', path: 'title' })],
    400,
    { scimType: 'invalidSyntax' },
  ],
  [
    '3.5.2',
    'an invalid path is refused',
    ({ path }) => ['PATCH', path, patch({ op: 'add', path: 'emails[type eq "work"', value: 'red' })],
    400,
    { scimType: 'invalidPath' },
  ],
  [
    '3.5.2.1',
    'add without a path adds the attributes of its value',
    ({ path }) => ['PATCH', path, patch({ op: 'add', value: { title: 'Poet', name: { familyName: 'Byron' } } })],
    200,
    { title: 'Poet', name: { givenName: 'Ada', familyName: 'Byron' } },
  ],
  [
    '3.5.2.1',
    'add appends entries to the existing ones',
    ({ path }) => [
      'PATCH',
      path,
      patch({ op: 'add', path: 'emails', value: [{ value: 'o@example.org', type: 'other' }] }),
    ],
    200,
    ({ body }) => expect(body.emails).toHaveLength(3),
  ],
  [
    '3.5.2.1',
    'add replaces a single value',
    ({ path }) => ['PATCH', path, patch({ op: 'add', path: 'title', value: 'Poet' })],
    200,
    { title: 'Poet' },
  ],
  [
    '3.5.2.1',
    'add of an existing value changes nothing, not even lastModified',
    ({ path }) => ['PATCH', path, patch({ op: 'add', path: 'title', value: 'Analyst' })],
    200,
    ({ body }, { user }) => expect(body.meta).toEqual(user.meta),
  ],
  [
    '3.5.2.2',
    'remove requires a path',
    ({ path }) => ['PATCH', path, patch({ op: 'remove' })],
    400,
    { scimType: 'noTarget' },
  ],
  [
    '3.5.2.2',
    'remove deletes the entries that match its filter',
    ({ path }) => ['PATCH', path, patch({ op: 'remove', path: 'emails[type eq "home"]' })],
    200,
    ({ body }) => expect(body.emails.map(({ type }: { type: string }) => type)).toEqual(['work']),
  ],
  [
    '3.5.2.2',
    'remove without a filter deletes all entries',
    ({ group }) => ['PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: 'members' })],
    204,
    async (_, { directory, group }) =>
      expect((await directory.send('GET', `/Groups/${group.id}`)).body.members ?? []).toEqual([]),
  ],
  [
    '3.5.2.2',
    'remove deletes a single member from a group',
    ({ group, user }) => [
      'PATCH',
      `/Groups/${group.id}?attributes=members`,
      patch({ op: 'remove', path: `members[value eq "${user.id}"]` }),
    ],
    200,
    ({ body }) => expect(body.members ?? []).toEqual([]),
  ],
  [
    '3.5.2.2',
    'a required attribute cannot be removed',
    ({ path }) => ['PATCH', path, patch({ op: 'remove', path: 'userName' })],
    400,
    ({ body }) => expect(['mutability', 'invalidValue']).toContain(body.scimType),
  ],
  [
    '3.5.2.2',
    'a read-only attribute cannot be removed',
    ({ path }) => ['PATCH', path, patch({ op: 'remove', path: 'groups' })],
    400,
    { scimType: 'mutability' },
  ],
  [
    '3.5.2.3',
    'replace of a missing attribute adds it',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'name.formatted', value: 'Countess' })],
    200,
    { name: { formatted: 'Countess' } },
  ],
  [
    '3.5.2.3',
    'replace of sub-attributes leaves the others',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'name', value: { familyName: 'Byron' } })],
    200,
    { name: { givenName: 'Ada', familyName: 'Byron' } },
  ],
  [
    '3.5.2.3',
    'replace of a list leaves only the new entries',
    ({ path }) => [
      'PATCH',
      path,
      patch({ op: 'replace', path: 'photos', value: [{ value: 'https://example.com/b.png', type: 'photo' }] }),
    ],
    200,
    ({ body }) => expect(body.photos).toEqual([{ value: 'https://example.com/b.png', type: 'photo' }]),
  ],
  [
    '3.5.2.3',
    'replace changes the sub-attribute of the entries that match its filter',
    ({ path, serial }) => [
      'PATCH',
      path,
      patch({ op: 'replace', path: 'emails[type eq "home"].value', value: `new.${serial}@home.example` }),
    ],
    200,
    ({ body }, { serial, user }) =>
      expect(body.emails).toEqual([user.emails[0], { value: `new.${serial}@home.example`, type: 'home' }]),
  ],
  [
    '3.5.2',
    'a new primary entry becomes the only one',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'emails[type eq "home"].primary', value: true })],
    200,
    ({ body }) =>
      expect(body.emails.map(({ primary }: { primary?: boolean }) => primary === true)).toEqual([false, true]),
  ],
  [
    '3.5.2',
    'a path can have the URN of its schema',
    ({ path }) => [
      'PATCH',
      path,
      patch(
        { op: 'replace', path: `${USER}:name.familyName`, value: 'Byron' },
        { op: 'replace', path: `${ENTERPRISE}:department`, value: 'Poetry' },
      ),
    ],
    200,
    { name: { familyName: 'Byron' }, [ENTERPRISE]: { department: 'Poetry' } },
  ],
  [
    '3.6',
    'a deletion returns 204',
    ({ path }) => ['DELETE', path],
    204,
    async (_, { directory, path, serial }) => {
      for (const [method, body] of [
        ['GET'],
        ['PUT', { userName: 'x@example.com' }],
        ['PATCH', patch({ op: 'remove', path: 'title' })],
        ['DELETE'],
      ] as const) {
        expect([method, (await directory.send(method, path, body)).status]).toEqual([method, 404])
      }
      expect(
        (await directory.send('GET', `/Users?filter=userName%20eq%20%22login.${serial}%22`)).body.totalResults,
      ).toBe(0)
    },
  ],
  [
    '3.6',
    'a deleted user is in no group',
    ({ path }) => ['DELETE', path],
    204,
    async (_, { directory, group }) =>
      expect((await directory.send('GET', `/Groups/${group.id}`)).body.members ?? []).toEqual([]),
  ],
  [
    '3.6',
    'a deleted user does not conflict with a new one',
    ({ path }) => ['DELETE', path],
    204,
    async (_, { directory, user }) =>
      expect(
        (await directory.send('POST', '/Users', { schemas: [USER], userName: user.userName, emails: user.emails }))
          .status,
      ).toBe(201),
  ],
  ['3.6', 'a deletion of an unknown user returns 404', () => ['DELETE', '/Groups/nobody'], 404],
  [
    '3.8',
    'a body may be application/scim+json or application/json',
    ({ path }) => [
      'PATCH',
      path,
      JSON.stringify(patch({ op: 'replace', path: 'title', value: 'Poet' })),
      { 'content-type': 'application/json; charset=utf-8' },
    ],
    200,
    { title: 'Poet' },
  ],
  ['3.12', 'a malformed body is refused', () => ['POST', '/Users', '{"userName":'], 400, { scimType: 'invalidSyntax' }],
  [
    '3.14',
    'a change with an outdated version is refused',
    ({ path, user }) => ['PUT', path, user, { 'if-match': 'W/"other"' }],
    412,
  ],
  [
    '3.14',
    'a change with the current version succeeds, and results in another version',
    ({ path, user }) => [
      'PATCH',
      path,
      patch({ op: 'replace', path: 'title', value: 'Poet' }),
      { 'if-match': user.meta.version },
    ],
    200,
    ({ headers }, { user }) => expect(headers.get('etag')).not.toBe(user.meta.version),
  ],
  [
    '3.14',
    'a deletion with an outdated version is refused',
    ({ group }) => ['DELETE', `/Groups/${group.id}`, undefined, { 'if-match': '"other"' }],
    412,
  ],
]

describeSentences('what RFC 7644 wants of changes', sentences)
