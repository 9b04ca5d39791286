import { ENTERPRISE } from './scim.js'

/** A request shape of an identity provider: what it sends for a user, and what of the resource it leads to. */
export interface DialectRow {
  readonly provider: 'Okta' | 'Microsoft Entra' | 'Google' | 'JumpCloud' | 'OneLogin'
  readonly shape: string
  /** The operations of a PATCH, or the body of a PUT. */
  readonly patch?: readonly object[]
  readonly put?: object
  /** `null`: the attribute is absent. */
  readonly expected: Readonly<Record<string, unknown>>
  /** The fields that belong to the directory afterwards; not checked if absent. */
  readonly locked?: readonly string[]
}

/** A user whom the rows change: `name` stands for the address, `manager` for the id of another user. */
export const dialectUser = (name: string) => ({
  userName: name,
  externalId: `ext-${name}`,
  displayName: 'Ada Lovelace',
  title: 'Analyst',
  active: true,
  name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
  emails: [{ value: name, type: 'work', primary: true }],
  [ENTERPRISE]: { department: 'Engines' },
})

/** The fields that this user has from the directory. */
const given = ['name.givenName', 'name.familyName', 'department', 'title']

/** The rows, from the documentation of the providers. */
export const dialectRows = (name: string, manager: string): readonly DialectRow[] => [
  {
    provider: 'Okta',
    shape: 'deactivation by a value object without a path',
    patch: [{ op: 'replace', value: { active: false } }],
    expected: { active: false, title: 'Analyst' },
    locked: given,
  },
  {
    provider: 'Okta',
    shape: 'several attributes in a value object without a path',
    patch: [{ op: 'replace', value: { title: 'Countess', name: { familyName: 'Byron' }, nickName: 'Ada' } }],
    expected: { title: 'Countess', name: { givenName: 'Ada', familyName: 'Byron', formatted: 'Ada Lovelace' } },
    locked: given,
  },
  {
    provider: 'Okta',
    shape: 'the whole user by PUT, with unknown attributes',
    put: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: 'ignored',
      userName: name,
      name: { givenName: 'Ada', familyName: 'Byron' },
      active: true,
      locale: 'en-US',
      password: 'Xy9!secret',
      emails: [{ primary: true, value: name, type: 'work', display: name }],
      groups: [],
      meta: { resourceType: 'User' },
      colour: { red: true },
    },
    expected: { name: { givenName: 'Ada', familyName: 'Byron' }, locale: 'en-US', title: 'Analyst', colour: null },
    locked: ['name.givenName', 'name.familyName', 'locale'],
  },
  {
    provider: 'Okta',
    shape: 'an attribute that was unmapped, by PUT without it',
    put: { ...dialectUser(name), [ENTERPRISE]: {} },
    expected: { [ENTERPRISE]: { department: 'Engines' } },
    locked: given.filter((field) => field !== 'department'),
  },
  {
    provider: 'Okta',
    shape: 'a locale with an underscore',
    patch: [{ op: 'replace', value: { locale: 'en_US' } }],
    expected: { locale: 'en-US', title: 'Analyst' },
    locked: [...given, 'locale'],
  },
  {
    provider: 'Okta',
    shape: 'optional values that cannot be taken, by PUT',
    put: {
      ...dialectUser(name),
      locale: 'of nowhere',
      timezone: 'Earth',
      photos: [{ value: 'http://example.com/a.png', type: 'photo' }],
      phoneNumbers: [
        { value: '415-555-2671', type: 'work' },
        { value: '+14155550111', type: 'mobile' },
      ],
    },
    expected: {
      locale: null,
      timezone: null,
      photos: null,
      title: 'Analyst',
      phoneNumbers: [{ value: '+14155550111', type: 'mobile' }],
    },
    locked: [...given, 'phoneNumbers'],
  },
  {
    provider: 'Okta',
    shape: 'phone and manager in a value object',
    patch: [
      {
        op: 'replace',
        value: {
          phoneNumbers: [{ value: '+1 415 555 0100', type: 'work', primary: true }],
          [ENTERPRISE]: { manager: { value: manager, displayName: 'Somebody' } },
        },
      },
    ],
    expected: {
      phoneNumbers: [{ value: '+1 415 555 0100', type: 'work', primary: true }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: manager } },
    },
    locked: [...given, 'phoneNumbers', 'manager'],
  },
  {
    provider: 'Microsoft Entra',
    shape: 'an operation with a capital, and a boolean as a string',
    patch: [{ op: 'Replace', path: 'active', value: 'False' }],
    expected: { active: false },
  },
  {
    provider: 'Microsoft Entra',
    shape: 'reactivation with a boolean as a string',
    patch: [
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Replace', path: 'active', value: 'True' },
    ],
    expected: { active: true },
  },
  {
    provider: 'Microsoft Entra',
    shape: 'the address by a filter',
    patch: [{ op: 'Replace', path: 'emails[type eq "work"].value', value: `new.${name}` }],
    expected: { emails: [{ value: `new.${name}`, type: 'work', primary: true }], userName: name },
  },
  {
    provider: 'Microsoft Entra',
    shape: 'a filter on an entry that does not exist yet',
    patch: [
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 20 7946 0958' },
      { op: 'Replace', path: 'phoneNumbers[type eq "fax"].value', value: '+44 20 7946 0959' },
    ],
    expected: {
      phoneNumbers: [
        { value: '+44 20 7946 0958', type: 'mobile' },
        { value: '+44 20 7946 0959', type: 'fax' },
      ],
    },
    locked: [...given, 'phoneNumbers'],
  },
  {
    provider: 'Microsoft Entra',
    shape: 'a filter of two conditions on an entry that does not exist yet',
    patch: [{ op: 'Add', path: 'emails[type eq "home" and primary eq "False"].value', value: `home.${name}` }],
    expected: {
      emails: [
        { value: name, type: 'work', primary: true },
        { value: `home.${name}`, type: 'home', primary: false },
      ],
    },
  },
  {
    provider: 'Microsoft Entra',
    shape: 'the manager at the URN of the extension',
    patch: [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: manager }],
    expected: { [ENTERPRISE]: { department: 'Engines', manager: { value: manager } } },
    locked: [...given, 'manager'],
  },
  {
    provider: 'Microsoft Entra',
    shape: 'the manager as a list with a $ref',
    patch: [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: null, value: manager }] }],
    expected: { [ENTERPRISE]: { department: 'Engines', manager: { value: manager } } },
  },
  {
    provider: 'Microsoft Entra',
    shape: 'a manager who is removed',
    patch: [
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: manager },
      { op: 'Remove', path: `${ENTERPRISE}:manager` },
    ],
    expected: { [ENTERPRISE]: { department: 'Engines', manager: null } },
    locked: [...given, 'manager'],
  },
  {
    provider: 'Microsoft Entra',
    shape: 'an attribute of the extension by its URN',
    patch: [{ op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Poetry' }],
    expected: { [ENTERPRISE]: { department: 'Poetry' } },
  },
  {
    provider: 'Microsoft Entra',
    shape: 'paths as the names of members',
    patch: [
      {
        op: 'Add',
        value: {
          'name.familyName': 'Byron',
          [`${ENTERPRISE}:department`]: 'Poetry',
          'emails[type eq "work"].primary': 'True',
        },
      },
    ],
    expected: { name: { givenName: 'Ada', familyName: 'Byron' }, [ENTERPRISE]: { department: 'Poetry' } },
    locked: given,
  },
  {
    provider: 'Microsoft Entra',
    shape: 'attributes of its default mapping that the service does not have',
    patch: [
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: '1 Way' },
      { op: 'Add', path: `${ENTERPRISE}:employeeNumber`, value: '701984' },
      { op: 'Replace', path: 'name.formatted', value: 'Lady Lovelace' },
      { op: 'Add', path: 'preferredLanguage', value: 'en' },
    ],
    expected: { name: { formatted: 'Lady Lovelace' }, addresses: null, preferredLanguage: null },
    locked: given,
  },
  {
    provider: 'Microsoft Entra',
    shape: 'a value that is removed',
    patch: [{ op: 'Remove', path: 'title' }],
    expected: { title: null },
    locked: given,
  },
  {
    provider: 'Microsoft Entra',
    shape: 'an entry that is removed by its value',
    patch: [
      { op: 'Add', path: 'emails', value: [{ type: 'other', value: `other.${name}` }] },
      { op: 'Remove', path: 'emails', value: [{ value: `other.${name}` }] },
    ],
    expected: { emails: [{ value: name, type: 'work', primary: true }] },
  },
  {
    provider: 'Google',
    shape: 'the whole user by PUT, with numbers of several types',
    put: {
      userName: name,
      active: true,
      name: { givenName: 'Ada', familyName: 'Byron' },
      displayName: 'Ada Byron',
      emails: [{ value: name, type: 'work', primary: true }],
      phoneNumbers: [
        { type: 'home', value: '+1 415 555 0111' },
        { type: 'mobile', value: '+1 415 555 0112' },
      ],
      [ENTERPRISE]: { department: 'Poetry', costCenter: '12', manager: { value: manager } },
    },
    expected: { displayName: 'Ada Byron', [ENTERPRISE]: { department: 'Poetry', manager: { value: manager } } },
    locked: ['name.givenName', 'name.familyName', 'department', 'manager', 'phoneNumbers'],
  },
  {
    provider: 'Google',
    shape: 'suspension by a path',
    patch: [{ op: 'replace', path: 'active', value: false }],
    expected: { active: false },
    locked: given,
  },
  {
    provider: 'JumpCloud',
    shape: 'the whole user by PUT, with a photo and empty lists',
    put: {
      userName: name,
      externalId: '5f',
      active: true,
      name: { givenName: 'Ada', familyName: 'Byron' },
      emails: [{ type: 'work', primary: true, value: name }],
      phoneNumbers: [],
      addresses: [],
      photos: [{ value: 'https://x.example/ada.png' }],
    },
    expected: { externalId: '5f', photos: [{ value: 'https://x.example/ada.png' }], phoneNumbers: null },
    locked: ['name.givenName', 'name.familyName', 'photos', 'phoneNumbers'],
  },
  {
    provider: 'JumpCloud',
    shape: 'deactivation by a value object, the name of the operation in lower case',
    patch: [{ op: 'replace', value: { active: false } }],
    expected: { active: false },
  },
  {
    provider: 'OneLogin',
    shape: 'a value for each path',
    patch: [
      { op: 'replace', path: 'name.givenName', value: 'Augusta' },
      { op: 'replace', path: 'title', value: 'Countess' },
      { op: 'replace', path: 'active', value: true },
    ],
    expected: { name: { givenName: 'Augusta' }, title: 'Countess', active: true },
    locked: given,
  },
  {
    provider: 'Microsoft Entra',
    shape: 'complex values as texts with their JSON',
    patch: [
      { op: 'Replace', path: 'name', value: '{"givenName":"Augusta","familyName":"Byron"}' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: JSON.stringify({ value: manager }) },
    ],
    expected: { name: { givenName: 'Augusta', familyName: 'Byron' }, [ENTERPRISE]: { manager: { value: manager } } },
    locked: [...given, 'manager'],
  },
  {
    provider: 'OneLogin',
    shape: 'the extension under the name of a draft, by PUT',
    put: {
      ...dialectUser(name),
      schemas: ['urn:scim:schemas:core:2.0', 'urn:scim:schemas:extension:enterprise:2.0'],
      [ENTERPRISE]: {},
      'urn:scim:schemas:extension:enterprise:2.0': { department: 'Poetry' },
    },
    expected: { [ENTERPRISE]: { department: 'Poetry' } },
    locked: given,
  },
  {
    provider: 'OneLogin',
    shape: 'the whole user by PUT, with the extension flat and null for what is empty',
    put: {
      ...dialectUser(name),
      title: null,
      phoneNumbers: null,
      [ENTERPRISE]: { department: 'Poetry', manager: null },
    },
    expected: { title: null, [ENTERPRISE]: { department: 'Poetry' } },
    locked: [...given, 'manager', 'phoneNumbers'],
  },
]
