import { expect } from '@jest/globals'
import { ENTERPRISE, GROUP, USER } from '../support/scim.js'
import { describeSentences, type Sentence } from '../support/scim-sentences.js'

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const patch = (...Operations: readonly object[]) => ({ schemas: [PATCH], Operations })

const sentences: readonly Sentence[] = [
  [
    '3.3',
    'what is added is answered with 201, its location and what it has become',
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
    'read-only attributes in what is added do not count',
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
    'what is there already is a conflict',
    ({ user }) => ['POST', '/Users', { schemas: [USER], userName: user.userName, emails: user.emails }],
    409,
    { scimType: 'uniqueness' },
  ],
  [
    '3.3',
    'an answer to what is added is what is read then',
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
    'a group that is added is answered with its location',
    ({ serial }) => ['POST', '/Groups', { schemas: [GROUP], displayName: `New ${serial}` }],
    201,
    ({ body, headers }) =>
      expect([headers.get('location'), headers.get('etag')]).toEqual([body.meta.location, body.meta.version]),
  ],
  [
    '3.5.1',
    'a replacement clears what it does not have',
    ({ path, user }) => ['PUT', path, { schemas: [USER], userName: user.userName, emails: user.emails }],
    200,
    ({ body }, { user }) => expect([body.userName, body.emails]).toEqual([user.userName, user.emails]),
  ],
  [
    '3.5.1',
    'a replacement without what is required is refused',
    ({ path }) => ['PUT', path, { schemas: [USER], title: 'Poet' }],
    400,
    { scimType: 'invalidValue' },
  ],
  [
    '3.5.1',
    'a replacement does not make a resource',
    () => ['PUT', '/Users/nobody', { schemas: [USER], userName: 'nobody@example.com' }],
    404,
  ],
  [
    '3.5.1',
    'a replacement is answered whole',
    ({ path, user }) => ['PUT', path, { ...user, title: 'Poet' }],
    200,
    { title: 'Poet', meta: { resourceType: 'User' } },
  ],
  [
    '3.5.1',
    'a replacement to what another has is a conflict',
    ({ path, user, serial }) => ['PUT', path, { ...user, userName: serial === 1 ? 'nobody' : 'login.1' }],
    409,
    { scimType: 'uniqueness' },
  ],
  [
    '3.5.2',
    'a change is answered with what it has become',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'title', value: 'Poet' })],
    200,
    { title: 'Poet' },
  ],
  [
    '3.5.2',
    'operations are applied in their order',
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
    'a change of nobody is 404',
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
    'a path that leads to no attribute is refused',
    ({ path }) => ['PATCH', path, patch({ op: 'add', path: 'colour', value: 'red' })],
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
    'add puts entries behind those that there are',
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
    'add of a single value replaces it',
    ({ path }) => ['PATCH', path, patch({ op: 'add', path: 'title', value: 'Poet' })],
    200,
    { title: 'Poet' },
  ],
  [
    '3.5.2.1',
    'add of what is there changes nothing, nor the time of the last change',
    ({ path }) => ['PATCH', path, patch({ op: 'add', path: 'title', value: 'Analyst' })],
    200,
    ({ body }, { user }) => expect(body.meta).toEqual(user.meta),
  ],
  [
    '3.5.2.2',
    'remove needs a path',
    ({ path }) => ['PATCH', path, patch({ op: 'remove' })],
    400,
    { scimType: 'noTarget' },
  ],
  [
    '3.5.2.2',
    'remove takes out the entries that its filter finds',
    ({ path }) => ['PATCH', path, patch({ op: 'remove', path: 'emails[type eq "home"]' })],
    200,
    ({ body }) => expect(body.emails.map(({ type }: { type: string }) => type)).toEqual(['work']),
  ],
  [
    '3.5.2.2',
    'remove takes out all entries if it has no filter',
    ({ group }) => ['PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: 'members' })],
    204,
    async (_, { directory, group }) =>
      expect((await directory.send('GET', `/Groups/${group.id}`)).body.members ?? []).toEqual([]),
  ],
  [
    '3.5.2.2',
    'remove takes one member out of a group',
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
    'what is required is not removed',
    ({ path }) => ['PATCH', path, patch({ op: 'remove', path: 'userName' })],
    400,
    ({ body }) => expect(['mutability', 'invalidValue']).toContain(body.scimType),
  ],
  [
    '3.5.2.2',
    'what is read-only is not removed',
    ({ path }) => ['PATCH', path, patch({ op: 'remove', path: 'groups' })],
    400,
    { scimType: 'mutability' },
  ],
  [
    '3.5.2.3',
    'replace of what is not there adds it',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'name.formatted', value: 'Countess' })],
    200,
    { name: { formatted: 'Countess' } },
  ],
  [
    '3.5.2.3',
    'replace of parts leaves the others',
    ({ path }) => ['PATCH', path, patch({ op: 'replace', path: 'name', value: { familyName: 'Byron' } })],
    200,
    { name: { givenName: 'Ada', familyName: 'Byron' } },
  ],
  [
    '3.5.2.3',
    'replace of entries leaves only these',
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
    'replace changes the part of the entries that its filter finds',
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
    'an entry that becomes primary is the only one',
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
    'what is deleted is answered with 204',
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
    'what is deleted is in no group',
    ({ path }) => ['DELETE', path],
    204,
    async (_, { directory, group }) =>
      expect((await directory.send('GET', `/Groups/${group.id}`)).body.members ?? []).toEqual([]),
  ],
  [
    '3.6',
    'what is deleted is no conflict for what is added',
    ({ path }) => ['DELETE', path],
    204,
    async (_, { directory, user }) =>
      expect(
        (await directory.send('POST', '/Users', { schemas: [USER], userName: user.userName, emails: user.emails }))
          .status,
      ).toBe(201),
  ],
  ['3.6', 'a deletion of nobody is 404', () => ['DELETE', '/Groups/nobody'], 404],
  [
    '3.8',
    'a body is JSON of SCIM, or plain JSON',
    ({ path }) => [
      'PATCH',
      path,
      JSON.stringify(patch({ op: 'replace', path: 'title', value: 'Poet' })),
      { 'content-type': 'application/json; charset=utf-8' },
    ],
    200,
    { title: 'Poet' },
  ],
  [
    '3.12',
    'a body that cannot be read is refused',
    () => ['POST', '/Users', '{"userName":'],
    400,
    { scimType: 'invalidSyntax' },
  ],
  [
    '3.14',
    'a change of another version is refused',
    ({ path, user }) => ['PUT', path, user, { 'if-match': 'W/"other"' }],
    412,
  ],
  [
    '3.14',
    'a change of the known version is made, and has another version',
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
    'a deletion of another version is refused',
    ({ group }) => ['DELETE', `/Groups/${group.id}`, undefined, { 'if-match': '"other"' }],
    412,
  ],
]

describeSentences('what RFC 7644 wants of changes', sentences)
