import fc from 'fast-check'
import { fixture } from '../../support/fixture.js'
import { ids, nastyTexts, textFor } from './values.js'

/** Where the schemas of SCIM are. */
export const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const text = (name: string) => textFor(name)
/** Ids of users, and others. */
export const userId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.values(fixture.users)) },
  { weight: 1, arbitrary: fc.constantFrom(...ids) },
)
/** Ids of groups, and others. */
export const groupId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.values(fixture.groups)) },
  { weight: 1, arbitrary: fc.constantFrom(...ids) },
)
const flags = fc.constantFrom<unknown>(true, false, 'True', 'false', 1, null)
const types = fc.constantFrom('work', 'home', 'mobile', 'WORK', '', 'other')
const entry = fc.record(
  { value: text('value'), type: types, primary: flags, display: text('x') },
  { requiredKeys: [], noNullPrototype: true },
)
const entries = fc.array(entry, { maxLength: 3 })
const manager = fc.oneof(
  userId,
  fc.record({ value: userId, $ref: text('x'), displayName: text('x') }, { requiredKeys: [], noNullPrototype: true }),
  fc.constant(null),
)

const enterprise = fc.record(
  { department: text('department'), manager, employeeNumber: text('x'), costCenter: text('x') },
  { requiredKeys: [], noNullPrototype: true },
)

/** Resources of users, and nearly. */
export const user = fc.record(
  {
    schemas: fc.constantFrom<unknown>(
      [`${CORE}:User`],
      [`${CORE}:User`, ENTERPRISE],
      [],
      ['x'],
      'x',
      [1],
      [`${CORE}:Group`],
    ),
    id: userId,
    userName: text('userName'),
    externalId: fc.oneof(fc.constantFrom('e1', 'e2', 'e3', 'e4', null), text('x')),
    name: fc.record(
      { givenName: text('x'), familyName: text('x'), formatted: text('x'), middleName: text('x') },
      { requiredKeys: [], noNullPrototype: true },
    ),
    displayName: text('x'),
    emails: fc.oneof(
      fc.array(
        fc.record({ value: text('email'), type: types, primary: flags }, { requiredKeys: [], noNullPrototype: true }),
        { maxLength: 3 },
      ),
      entries,
    ),
    phoneNumbers: entries,
    photos: entries,
    active: flags,
    title: text('x'),
    locale: text('x'),
    timezone: text('x'),
    preferredLanguage: text('x'),
    password: text('x'),
    roles: entries,
    groups: entries,
    meta: fc.jsonValue(),
    [ENTERPRISE]: enterprise,
  },
  { requiredKeys: ['userName', 'schemas'], noNullPrototype: true },
)

const members = fc.array(
  fc.record(
    { value: userId, $ref: text('x'), type: fc.constantFrom('User', 'Group'), display: text('x') },
    { requiredKeys: [], noNullPrototype: true },
  ),
  { maxLength: 4 },
)
/** Resources of groups, and nearly. */
export const group = fc.record(
  { schemas: fc.constant([`${CORE}:Group`]), displayName: text('x'), externalId: text('x'), members },
  { requiredKeys: ['displayName'], noNullPrototype: true },
)

const attributes = [
  'userName',
  'externalId',
  'id',
  'active',
  'title',
  'name',
  'name.givenName',
  'emails',
  'emails.value',
  'phoneNumbers',
  'photos.value',
  'displayName',
  'locale',
  'timezone',
  'groups',
  'groups.value',
  'members',
  'members.value',
  'meta.created',
  'meta.lastModified',
  'meta',
  'meta.version',
  'meta.location',
  'schemas',
  'password',
  'roles',
  ENTERPRISE,
  `${ENTERPRISE}:manager`,
  `${ENTERPRISE}:manager.value`,
  `${ENTERPRISE}:department`,
  `${CORE}:User:userName`,
  'urn:x:y',
  'urn:svc:params:scim:schemas:extension:ownership:2.0:User',
  'userName.x',
  'emails.x',
  'x',
  '',
  '.',
  '__proto__',
  'constructor',
  'toString',
  'USERNAME',
  'a.b.c',
  'a:b:c',
  'emails[0]',
]
const attribute = fc.constantFrom(...attributes)
const literal = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    'null',
    '1',
    '-1.5e3',
    '1e999',
    '"2026-01-01T00:00:00Z"',
    '"x"',
    '""',
    '"%"',
    '"_"',
    '"\\\\"',
    '"\\u0000"',
    '"\\ud800"',
    'x',
    "'x'",
  ),
  fc.constantFrom(...nastyTexts).map((each) => JSON.stringify(each)),
  fc.constantFrom(...nastyTexts),
)
const comparison = fc
  .tuple(
    attribute,
    fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'EQ', 'pr', 'xx', ''),
    literal,
  )
  .map(([path, operator, value]) => (operator === 'pr' ? `${path} pr` : `${path} ${operator} ${value}`))

/** Filters of the grammar of RFC 7644, and nearly. */
const filters: fc.Arbitrary<string> = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or', 'AND', 'xor'), tie('filter')).map((parts) => parts.join(' ')),
    tie('filter').map((each) => `(${each})`),
    tie('filter').map((each) => `not (${each})`),
    fc.tuple(attribute, tie('filter')).map(([path, each]) => `${path}[${each}]`),
    fc.tuple(attribute, tie('filter'), literal).map(([path, each, value]) => `${path}[${each}].value eq ${value}`),
    fc.constantFrom(
      '('.repeat(300),
      `${'('.repeat(30)}a pr${')'.repeat(30)}`,
      `${'not '.repeat(200)}(a pr)`,
      'a pr or '.repeat(150),
      '[',
      ']',
      '.',
      '',
    ),
  ),
})).filter

const patchPath = fc.oneof(
  attribute,
  fc
    .tuple(attribute, filters, fc.constantFrom('', '.value', '.x', '.', '[', '.value.x'))
    .map(([path, filter, sub]) => `${path}[${filter}]${sub}`),
  fc.constantFrom(...nastyTexts),
)
const patchValue = fc.oneof<fc.Arbitrary<unknown>[]>(
  user,
  text('x'),
  entries,
  entry,
  members,
  flags,
  manager,
  fc.jsonValue(),
  fc.constant(undefined),
)
/** Bodies of PATCH. */
export const patch = fc.record({
  schemas: fc.constantFrom<unknown>([`${MESSAGES}:PatchOp`], [], undefined),
  Operations: fc.array(
    fc.record(
      {
        op: fc.constantFrom<unknown>('add', 'replace', 'remove', 'Replace', 'move', 1),
        path: patchPath,
        value: patchValue,
      },
      { requiredKeys: ['op'], noNullPrototype: true },
    ),
    { maxLength: 4 },
  ),
})

/** Parameters of queries. */
export const parameters = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('filter', 'filter', 'filter', 'sortBy', 'attributes', 'excludedAttributes'),
      fc.oneof(filters, attribute),
    )
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`),
  fc.constantFrom(
    'startIndex=1',
    'startIndex=0',
    'startIndex=-1',
    'startIndex=2147483648',
    'startIndex=9007199254740993',
    'startIndex=x',
    'count=0',
    'count=1',
    'count=-1',
    'count=201',
    'count=99999999999999999999',
    'count=1e3',
    'count=',
    'sortOrder=descending',
    'sortOrder=x',
    'sortBy=userName',
    'a=b',
    '%',
    '%zz',
    '&&',
    '=',
    'filter=%',
    'filter=%ff',
    'filter=%00',
    'filter',
    'attributes=,',
    `attributes=${'a,'.repeat(2_000)}`,
    'filter=a&filter=b',
  ),
)

/** Bodies of searches. */
export const search = fc.record(
  {
    schemas: fc.constantFrom<unknown>([`${MESSAGES}:SearchRequest`], [], 'x'),
    filter: filters,
    sortBy: attribute,
    sortOrder: fc.constantFrom('ascending', 'descending', 'x', ''),
    startIndex: fc.constantFrom<unknown>(1, 0, -5, 1.5, 1e300, '1', null),
    count: fc.constantFrom<unknown>(0, 1, 200, 1e300, -1, '1', null),
    attributes: fc.array(attribute, { maxLength: 3 }),
  },
  { requiredKeys: ['schemas'], noNullPrototype: true },
)
