import { expect } from '@jest/globals'
import { fixture } from '../support/fixture.js'
import { ENTERPRISE, GROUP, OWNERSHIP, USER } from '../support/scim.js'
import { describeSentences, type Sentence, wholeUser } from '../support/scim-sentences.js'

/** The characteristics of an attribute, as the service describes them. */
interface DescribedAttribute {
  readonly name: string
  readonly type: string
  readonly mutability: string
  readonly returned: string
  readonly uniqueness: string
  readonly required: boolean
  readonly caseExact?: boolean
  readonly subAttributes?: readonly DescribedAttribute[]
}

const attributeOf = (attributes: readonly DescribedAttribute[], name: string) =>
  attributes.find((each) => each.name === name)

const sentences: readonly Sentence[] = [
  [
    '2.1',
    'attribute names and schema URNs are case-insensitive',
    ({ serial }) => [
      'POST',
      '/Users',
      {
        SCHEMAS: [USER],
        USERNAME: `x.${serial}@example.com`,
        Name: { GIVENNAME: 'Eve' },
        Active: true,
        [ENTERPRISE.toUpperCase()]: { DEPARTMENT: 'Sales' },
      },
    ],
    201,
    { name: { givenName: 'Eve' }, [ENTERPRISE]: { department: 'Sales' } },
  ],
  [
    '2.3.1',
    'strings preserve their case',
    ({ path }) => ['GET', path],
    200,
    { title: 'Analyst', externalId: expect.stringMatching(/^Ext-/) },
  ],
  [
    '2.3.5',
    'timestamps are of type xsd:dateTime',
    ({ path }) => ['GET', path],
    200,
    { meta: { created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) } },
  ],
  [
    '2.4',
    'at most one entry is primary',
    ({ path }) => [
      'PATCH',
      path,
      {
        schemas: [],
        Operations: [{ op: 'add', path: 'emails', value: [{ value: 'n@example.org', type: 'other', primary: true }] }],
      },
    ],
    200,
    ({ body }) => expect(body.emails.filter(({ primary }: { primary?: boolean }) => primary === true)).toHaveLength(1),
  ],
  [
    '2.5',
    'null and an empty list mean an unassigned attribute',
    ({ path, user }) => ['PUT', path, { ...user, title: null, phoneNumbers: [], photos: null }],
    200,
    async ({ body }, { directory, path, user }) => {
      const { title: _, phoneNumbers: __, photos: ___, meta: ____, [OWNERSHIP]: _____, ...rest } = user
      const { meta, groups: ______, [OWNERSHIP]: _______, ...shown } = body
      expect([shown, meta.resourceType]).toEqual([rest, 'User'])
      expect((await directory.send('GET', path)).body).toEqual(body)
    },
  ],
  [
    '3',
    'a resource lists exactly the schemas whose attributes it has',
    ({ path }) => ['GET', path],
    200,
    { schemas: [USER, ENTERPRISE, OWNERSHIP] },
  ],
  [
    '3',
    'a resource without attributes of an extension does not list it',
    ({ serial }) => ['POST', '/Users', { schemas: [USER], userName: `plain.${serial}@example.com` }],
    201,
    ({ body }) => expect([body.schemas, ENTERPRISE in body]).toEqual([[USER, OWNERSHIP], false]),
  ],
  [
    '3.1',
    'the id is assigned by the service, whatever a client sends, and never changes',
    ({ path, user }) => ['PUT', path, { ...user, id: 'bulkId', title: 'Countess' }],
    200,
    ({ body }, { user }) => expect([body.id, body.title]).toEqual([user.id, 'Countess']),
  ],
  [
    '3.1',
    'the externalId is case-exact',
    ({ serial }) => ['GET', `/Users?filter=externalId%20eq%20%22EXT-${serial}%22`],
    200,
    { totalResults: 0 },
  ],
  [
    '3.1',
    'meta is read-only: values from a client are ignored',
    ({ path, user }) => [
      'PUT',
      path,
      { ...user, meta: { created: '2001-01-01T00:00:00Z', resourceType: 'Group', version: 'x' } },
    ],
    200,
    ({ body }, { user }) => expect([body.meta.created, body.meta.resourceType]).toEqual([user.meta.created, 'User']),
  ],
  [
    '3.1',
    'meta has the type, timestamps, location and version, consistent with the headers',
    ({ path }) => ['GET', path],
    200,
    ({ body, headers }) => {
      expect(Object.keys(body.meta).sort()).toEqual(['created', 'lastModified', 'location', 'resourceType', 'version'])
      expect([body.meta.location, body.meta.version]).toEqual([headers.get('content-location'), headers.get('etag')])
    },
  ],
  [
    '3.1',
    'lastModified changes with the resource, created does not',
    ({ path }) => ['PATCH', path, { Operations: [{ op: 'replace', path: 'title', value: 'Countess' }] }],
    200,
    ({ body }, { user }) => {
      expect(body.meta.created).toBe(user.meta.created)
      expect(Date.parse(body.meta.lastModified)).toBeGreaterThanOrEqual(Date.parse(user.meta.lastModified))
      expect(body.meta.version).not.toBe(user.meta.version)
    },
  ],
  [
    '4.1.1',
    'a user requires a userName',
    () => ['POST', '/Users', { schemas: [USER], displayName: 'Nobody' }],
    400,
    { scimType: 'invalidValue' },
  ],
  [
    '4.1.1',
    'the userName must not be empty',
    () => ['POST', '/Users', { schemas: [USER], userName: '' }],
    400,
    { scimType: 'invalidValue' },
  ],
  [
    '4.1.1',
    'the userName is unique, ignoring case',
    ({ serial }) => [
      'POST',
      '/Users',
      { schemas: [USER], userName: `LOGIN.${serial}`, emails: [{ value: 'other@example.com', type: 'work' }] },
    ],
    409,
    { scimType: 'uniqueness' },
  ],
  [
    '4.1.1',
    'a password is never returned',
    ({ serial }) => [
      'POST',
      '/Users',
      { schemas: [USER], userName: `p.${serial}@example.com`, password: 't1meMa$heen' },
    ],
    201,
    ({ body }) => expect(JSON.stringify(body)).not.toContain('t1meMa'),
  ],
  [
    '4.1.1',
    'active is returned, with a default from the service',
    ({ serial }) => ['POST', '/Users', { schemas: [USER], userName: `a.${serial}@example.com` }],
    201,
    { active: true },
  ],
  [
    '4.1.2',
    'emails, phone numbers and photos have a value, a type and a primary flag',
    ({ path }) => ['GET', path],
    200,
    { emails: [{ type: 'work', primary: true }, { type: 'home' }], photos: [{ type: 'photo' }] },
  ],
  [
    '4.1.2',
    'the groups of a user are read-only: they follow changes of the group',
    ({ path, user }) => ['PUT', path, { ...user, groups: [] }],
    200,
    ({ body }, { group }) =>
      expect(body.groups).toEqual([
        { value: group.id, $ref: group.meta.location, display: group.displayName, type: 'direct' },
      ]),
  ],
  [
    '4.2',
    'a group requires a displayName',
    () => ['POST', '/Groups', { schemas: [GROUP], members: [] }],
    400,
    { scimType: 'invalidValue' },
  ],
  [
    '4.2',
    'members have a value, a $ref and a type',
    ({ group }) => ['GET', `/Groups/${group.id}`],
    200,
    ({ body }, { user }) =>
      expect(body.members).toEqual([
        { value: user.id, $ref: user.meta.location, display: 'Ada Lovelace', type: 'User' },
      ]),
  ],
  [
    '4.3',
    'the manager has an id, to which the service adds the $ref and the name',
    ({ path, user }) => [
      'PUT',
      path,
      { ...user, [ENTERPRISE]: { manager: { value: fixture.users.admin, displayName: 'Mallory' } } },
    ],
    200,
    async ({ body }, { directory, path }) => {
      const { body: read } = await directory.send('GET', path)
      expect(body[ENTERPRISE].manager).toEqual(read[ENTERPRISE].manager)
      const { body: manager } = await directory.send('GET', `/Users/${fixture.users.admin}`)
      expect(read[ENTERPRISE].manager).toEqual({
        value: manager.id,
        $ref: manager.meta.location,
        displayName: manager.displayName,
      })
    },
  ],
  [
    '5',
    'the service provider configuration lists the supported features',
    () => ['GET', '/ServiceProviderConfig'],
    200,
    ({ body }) => {
      for (const name of ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag']) {
        expect([name, typeof body[name].supported]).toEqual([name, 'boolean'])
      }
      expect([typeof body.bulk.maxOperations, typeof body.bulk.maxPayloadSize, typeof body.filter.maxResults]).toEqual([
        'number',
        'number',
        'number',
      ])
      expect(body.authenticationSchemes[0]).toMatchObject({
        type: 'oauthbearertoken',
        name: expect.any(String),
        description: expect.any(String),
      })
    },
  ],
  [
    '6',
    'a resource type has its name, endpoint, schema, and required extensions',
    () => ['GET', '/ResourceTypes/User'],
    200,
    {
      name: 'User',
      endpoint: '/Users',
      schema: USER,
      schemaExtensions: [
        { schema: ENTERPRISE, required: false },
        { schema: OWNERSHIP, required: false },
      ],
    },
  ],
  [
    '7',
    'a schema gives the characteristics of each attribute',
    () => ['GET', `/Schemas/${USER}`],
    200,
    ({ body }) => {
      expect(attributeOf(body.attributes, 'userName')).toMatchObject({
        required: true,
        uniqueness: 'server',
        caseExact: false,
        mutability: 'readWrite',
        returned: 'default',
      })
      expect(attributeOf(body.attributes, 'groups')).toMatchObject({ mutability: 'readOnly', multiValued: true })
      expect(attributeOf(body.attributes, 'active')).toMatchObject({ type: 'boolean' })
      expect(attributeOf(body.attributes, 'active')).not.toHaveProperty('caseExact')
      expect(attributeOf(body.attributes, 'password')).toBeUndefined()
    },
  ],
  [
    '7',
    'members of groups can be added and removed, but not modified',
    () => ['GET', `/Schemas/${GROUP}`],
    200,
    ({ body }) => {
      expect(attributeOf(body.attributes, 'displayName')).toMatchObject({ required: true })
      expect(attributeOf(attributeOf(body.attributes, 'members')?.subAttributes ?? [], 'value')).toMatchObject({
        mutability: 'immutable',
      })
    },
  ],
  [
    '7',
    'read-write attributes are returned as they were written',
    ({ serial }) => ['POST', '/Users', wholeUser(serial + 5_000)],
    201,
    ({ body }, { serial }) =>
      expect(body).toMatchObject({ ...wholeUser(serial + 5_000), schemas: [USER, ENTERPRISE, OWNERSHIP] }),
  ],
]

describeSentences('what RFC 7643 wants of resources', sentences)
