import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from '@jest/globals'
import { scimPatch } from 'scim-patch'
import { withoutNulls } from '../../src/scim/json.js'
import { applyPatch } from '../../src/scim/patch.js'
import { patchChangesFrom } from '../../src/scim/patch-operation.js'
import { ScimReport } from '../../src/scim/request.js'
import { userType } from '../../src/scim/resource-types.js'
import { ENTERPRISE } from '../support/scim.js'

const ada = {
  userName: 'ada@example.com',
  title: 'Analyst',
  active: true,
  displayName: 'Ada',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  [ENTERPRISE]: { department: 'Engines' },
} satisfies JsonObject

const patchedBy = (body: JsonObject, document: JsonObject) => {
  const report = new ScimReport()
  return applyPatch(document, patchChangesFrom(body, userType, report), report)
}
const patched = (operations: readonly object[], document: JsonObject = ada) =>
  patchedBy({ Operations: operations as JsonObject[] }, document)

describe('a PATCH', () => {
  // Where the RFC leaves nothing open, a library that follows it must agree.
  it.each<[what: string, operations: readonly object[]]>([
    ['replaces a value', [{ op: 'replace', path: 'title', value: 'Countess' }]],
    ['adds a value', [{ op: 'add', path: 'locale', value: 'en-GB' }]],
    ['removes a value', [{ op: 'remove', path: 'title' }]],
    ['replaces a part', [{ op: 'replace', path: 'name.givenName', value: 'Augusta' }]],
    ['removes a part', [{ op: 'remove', path: 'name.givenName' }]],
    [
      'replaces an entry by its type',
      [{ op: 'replace', path: 'emails[type eq "home"].value', value: 'new@home.example' }],
    ],
    ['replaces all entries', [{ op: 'replace', path: 'emails', value: [{ value: 'x@y.example', type: 'work' }] }]],
    ['adds an entry', [{ op: 'add', path: 'emails', value: [{ value: 'x@y.example', type: 'other' }] }]],
    ['removes an entry by its type', [{ op: 'remove', path: 'emails[type eq "home"]' }]],
    ['removes an entry by what its value contains', [{ op: 'remove', path: 'emails[value co "home"]' }]],
    ['removes an entry by how its value begins', [{ op: 'remove', path: 'emails[value sw "ada@home"]' }]],
    ['removes an entry by how its value ends', [{ op: 'remove', path: 'emails[value ew "home.example"]' }]],
    ['removes all entries', [{ op: 'remove', path: 'emails' }]],
    ['replaces several values at once', [{ op: 'replace', value: { title: 'Countess', active: false } }]],
    ['replaces a value of an extension', [{ op: 'replace', path: `${ENTERPRISE}:department`, value: 'Poetry' }]],
    [
      'applies operations one after the other',
      [
        { op: 'remove', path: 'title' },
        { op: 'add', path: 'title', value: 'Countess' },
      ],
    ],
  ])('%s like scim-patch', (_, operations) => {
    const theirs = scimPatch(
      structuredClone({ schemas: [], ...ada }) as never,
      structuredClone(operations) as never,
    ) as unknown
    const { schemas: __, ...expected } = theirs as Record<string, unknown>
    // What is taken away is null here.
    expect(withoutNulls(patched(operations))).toEqual(expected)
  })

  it.each<[what: string, operations: readonly object[], expected: object]>([
    [
      'of a part creates what has it',
      [{ op: 'add', path: `${ENTERPRISE}:manager`, value: { value: 'm' } }],
      { [ENTERPRISE]: { department: 'Engines', manager: { value: 'm' } } },
    ],
    [
      'remembers what it takes away',
      [
        { op: 'remove', path: `${ENTERPRISE}:department` },
        { op: 'replace', path: 'name.givenName', value: '' },
      ],
      { [ENTERPRISE]: { department: null }, name: { givenName: null, familyName: 'Lovelace' } },
    ],
    [
      'makes the new entry the only primary one',
      [{ op: 'add', path: 'emails', value: { value: 'x@y.example', primary: 'true' } }],
      {
        emails: [
          { value: 'ada@example.com', type: 'work', primary: false },
          { value: 'ada@home.example', type: 'home' },
          { value: 'x@y.example', primary: true },
        ],
      },
    ],
    ['does not add an entry twice', [{ op: 'add', path: 'emails', value: [ada.emails[1]] }], { emails: ada.emails }],
    [
      'ignores the case of names',
      [{ op: 'REPLACE', path: 'NAME.familyname', value: 'Byron' }],
      { name: { givenName: 'Ada', familyName: 'Byron' } },
    ],
    [
      'treats null as no value',
      [{ op: 'replace', value: { title: null, name: { givenName: null } } }],
      { title: null, name: { givenName: null, familyName: 'Lovelace' } },
    ],
    [
      'removes nothing if there is nothing',
      [{ op: 'remove', path: 'phoneNumbers[type eq "work"]' }],
      { phoneNumbers: undefined },
    ],
    [
      'keeps a closing bracket in a filter',
      [{ op: 'add', path: 'emails[type eq "a]b"].value', value: 'x@y.example' }],
      {
        emails: [...ada.emails, { type: 'a]b', value: 'x@y.example' }],
      },
    ],
    [
      'ignores read-only and unknown members',
      [{ op: 'replace', value: { id: 'x', meta: {}, groups: [], colour: 'red' } }],
      { id: undefined, colour: undefined },
    ],
    [
      'ignores attributes that the service does not know at any path',
      [
        { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:Custom:2.0:User:tag', value: 'a' },
        { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:Custom:2.0:User', value: { tag: 'a' } },
        { op: 'replace', path: 'extensionAttribute1', value: 'b' },
        { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:role', value: 'c' },
        { op: 'replace', path: 'password', value: 'd' },
        { op: 'remove', path: 'colours[shade eq "red"].value' },
        { op: 'replace', path: 'emails[type eq "work"].colour', value: 'e' },
        { op: 'replace', path: 'name.colour', value: 'f' },
        { op: 'replace', path: `${ENTERPRISE}:manager.displayName`, value: 'g' },
        { op: 'replace', path: 'title', value: 'Countess' },
      ],
      { ...ada, title: 'Countess' },
    ],
    [
      'takes a dot behind the URN of a schema',
      [
        { op: 'replace', path: `${ENTERPRISE}.department`, value: 'Poetry' },
        { op: 'add', path: `${ENTERPRISE}.manager`, value: 'm' },
      ],
      { [ENTERPRISE]: { department: 'Poetry', manager: { value: 'm' } } },
    ],
    [
      'clears an extension that is null',
      [{ op: 'replace', value: { [ENTERPRISE]: null } }],
      { [ENTERPRISE]: { department: null, manager: null } },
    ],
    [
      'puts texts on one line, without blanks at their edges',
      [{ op: 'replace', value: { title: ' Chief\r\nOfficer\t', displayName: '\u00a0Ada ' } }],
      { title: 'Chief Officer', displayName: 'Ada' },
    ],
    [
      'reads an object that is written as text, as SCIM-SDK does, and leaves the other entries',
      [
        { op: 'replace', path: 'emails[type eq "home"]', value: '{"value": "new@home.example", "type": "home"}' },
        { op: 'add', path: 'emails', value: ['{"value": "{x}@y.example", "type": "other"}'] },
        { op: 'replace', path: `${ENTERPRISE}:manager`, value: ' { "value" : "m" }' },
        { op: 'replace', path: 'title', value: '{"value": "Countess"}' },
      ],
      {
        emails: [ada.emails[0], { value: 'new@home.example', type: 'home' }, { value: '{x}@y.example', type: 'other' }],
        [ENTERPRISE]: { department: 'Engines', manager: { value: 'm' } },
        title: '{"value": "Countess"}',
      },
    ],
    ['adds nothing for an empty list', [{ op: 'add', path: 'emails', value: [] }], { emails: ada.emails }],
    [
      'removes entries whose value it takes',
      [{ op: 'replace', path: 'emails[type eq "home"]', value: { value: '' } }],
      { emails: [ada.emails[0]] },
    ],
  ])('%s', (_, operations, expected) => {
    const result: Record<string, unknown> = patched(operations)
    for (const [name, value] of Object.entries(expected)) expect([name, result[name]]).toEqual([name, value])
  })

  it.each<[what: string, body: object, scimType: string]>([
    ['no operations', {}, 'invalidSyntax'],
    ['an empty list', { Operations: [] }, 'invalidSyntax'],
    ['an invalid operation', { Operations: ['x'] }, 'invalidSyntax'],
    ['an unknown operation', { Operations: [{ op: 'move', path: 'title' }] }, 'invalidSyntax'],
    [
      'too many operations',
      { Operations: Array.from({ length: 1_001 }, () => ({ op: 'remove', path: 'title' })) },
      'tooMany',
    ],
    ['a removal of nothing', { Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['no value', { Operations: [{ op: 'add', path: 'title' }] }, 'invalidValue'],
    ['a value that is not an object, without a path', { Operations: [{ op: 'add', value: 'x' }] }, 'invalidValue'],
    ['a path that is not a string', { Operations: [{ op: 'add', path: 1, value: 'x' }] }, 'invalidPath'],
    [
      'a bracket that is not closed',
      { Operations: [{ op: 'add', path: 'emails[type eq "work"', value: 'x' }] },
      'invalidPath',
    ],
    [
      'a filter on a single value',
      { Operations: [{ op: 'add', path: 'title[value eq "x"]', value: 'x' }] },
      'invalidPath',
    ],
    [
      'an invalid filter',
      { Operations: [{ op: 'add', path: 'emails[type is "x"].value', value: 'x' }] },
      'invalidFilter',
    ],
    ['a read-only attribute', { Operations: [{ op: 'replace', path: 'meta.version', value: 'x' }] }, 'mutability'],
    [
      'an entry that no filter describes',
      { Operations: [{ op: 'add', path: 'emails[type ne "home" and type ne "work"].value', value: 'x' }] },
      'noTarget',
    ],
    ['a value of the wrong type', { Operations: [{ op: 'replace', path: 'active', value: 'maybe' }] }, 'invalidValue'],
    [
      'an entry by a value that none has',
      { Operations: [{ op: 'replace', path: 'emails[value eq "nobody"].value', value: 'x@y.example' }] },
      'noTarget',
    ],
    [
      'an entry by a value and a type that none has',
      { Operations: [{ op: 'add', path: 'emails[type eq "work" and value eq "x"].primary', value: true }] },
      'noTarget',
    ],
    [
      'an object for a strict text',
      { Operations: [{ op: 'replace', path: 'userName', value: { a: 1 } }] },
      'invalidValue',
    ],
    [
      'very many entries',
      {
        Operations: [
          { op: 'add', path: 'emails', value: Array.from({ length: 101 }, (_, at) => ({ value: `${at}@x.example` })) },
        ],
      },
      'invalidValue',
    ],
  ])('is refused with %s', (_, body, scimType) => {
    const apply = () => patchedBy(body as JsonObject, ada)
    expect(apply).toThrow(expect.objectContaining({ status: 400, scimType }))
  })
})
