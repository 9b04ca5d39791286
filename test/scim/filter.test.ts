import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, OWNERSHIP, type ScimClient, USER } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

describe('filters on users', () => {
  let service: TestService
  let directory: ScimClient
  /** The ids of the users by the part of their addresses before the @. */
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    directory = await connectDirectory(service, fixture.globex)
    const add = async (name: string, user: object) => {
      ids[name] = (await directory.add({ userName: `${name}@example.com`, ...user })).id
    }
    await add('ada', {
      externalId: '00u1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      title: 'Analyst',
      locale: 'en-GB',
      emails: [
        { value: 'ada@example.com', type: 'work', primary: true },
        { value: 'Countess@Home.example', type: 'home' },
      ],
      phoneNumbers: [
        { value: '+442071234567', type: 'work' },
        { value: '+447700900123', type: 'mobile' },
      ],
      [ENTERPRISE]: { department: 'Engines' },
    })
    await add('bob', {
      externalId: '00U1',
      name: { givenName: 'Bob', familyName: "O'Neil_100%" },
      title: 'analyst',
      active: false,
      [ENTERPRISE]: { department: 'Sales', manager: { value: ids['ada'] } },
    })
    await add('eve', {
      userName: 'EVE.upn@Example.com',
      emails: [{ value: 'eve@example.com', type: 'work', primary: true }],
      name: { givenName: 'Ève', familyName: 'Ößler' },
      displayName: 'Eve "the \\ best"',
      timezone: 'Europe/Berlin',
    })
  })
  afterAll(() => service.stop())

  const found = async (filter: string) => {
    const { status, body } = await directory.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect([filter, status, body.detail]).toEqual([filter, 200, undefined])
    expect(body.totalResults).toBe(body.Resources.length)
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
    return body.Resources.map(({ id }: { id: string }) => names.get(id) ?? id)
  }

  const admin = fixture.users.globexAdmin
  const all = [admin, 'ada', 'bob', 'eve']

  it.each<[filter: string, found: readonly string[]]>([
    // Texts are compared without regard to case, but for those that are case-exact.
    ['userName eq "ada@example.com"', ['ada']],
    ['USERNAME EQ "ADA@Example.COM"', ['ada']],
    ['userName eq "eve.upn@example.com"', ['eve']],
    ['userName eq "eve@example.com"', []],
    ['userName ne "ada@example.com"', [admin, 'bob', 'eve']],
    ['userName sw "A"', ['ada']],
    ['userName ew "@EXAMPLE.com" and externalId pr', ['ada', 'bob']],
    ['userName co "upn"', ['eve']],
    ['userName gt "ada@example.com" and userName lt "eve"', ['bob']],
    ['userName ge "ada@example.com" and userName le "bob@example.com"', ['ada', 'bob']],
    ['externalId eq "00u1"', ['ada']],
    ['externalId eq "00U1"', ['bob']],
    ['externalId sw "00"', ['ada', 'bob']],
    ['id eq "$ada"', ['ada']],
    ['title eq "ANALYST"', ['ada', 'bob']],
    ['name.givenName eq "ève"', ['eve']],
    ['name.familyName eq "ößLER"', ['eve']],
    ['displayName eq "Eve \\"the \\\\ best\\""', ['eve']],
    ['displayName eq "Eve \\u0022the \\u005c best\\""', ['eve']],
    ['displayName eq "ada lovelace"', ['ada']],
    ['name.formatted co "love"', ['ada']],
    // Patterns of the database are texts like any other.
    ['name.familyName co "_1"', ['bob']],
    ['name.familyName co "%"', ['bob']],
    ['name.familyName sw "O\'Ne"', ['bob']],
    ['name.familyName co "\\\\"', []],
    ['displayName co "\\\\"', ['eve']],
    // What has no value equals nothing and is different from everything.
    ['title pr', ['ada', 'bob']],
    ['title eq null', [admin, 'eve']],
    // As the examples of Microsoft's documentation have it.
    ['externalId eq 00u1', ['ada']],
    ['externalId eq 00-none', []],
    ['emails[type eq "work"] eq "ada@example.com"', ['ada']],
    ['emails[type eq "home"] sw "countess" and active eq true', ['ada']],
    ['title ne null', ['ada', 'bob']],
    ['title ne "analyst"', [admin, 'eve']],
    ['not (title eq "analyst")', [admin, 'eve']],
    ['not (title pr)', [admin, 'eve']],
    ['not (title gt "a")', [admin, 'eve']],
    ['title eq ""', []],
    ['name pr', all],
    ['timezone eq "europe/berlin"', ['eve']],
    ['locale sw "en"', ['ada']],
    // Booleans, also as Microsoft Entra writes them.
    ['active eq true', [admin, 'ada', 'eve']],
    ['active eq false', ['bob']],
    ['active ne true', ['bob']],
    ['active eq "False"', ['bob']],
    ['active pr', all],
    // And, or, not and parentheses.
    ['title pr and active eq true', ['ada']],
    ['userName sw "ada" or userName sw "bob" and active eq true', ['ada']],
    ['(userName sw "ada" or userName sw "bob") and active eq false', ['bob']],
    ['not (userName sw "ada" or userName sw "bob") and externalId eq null', [admin, 'eve']],
    ['not not (title pr)', ['ada', 'bob']],
    // Attributes with several entries: one of them satisfies all that is in the brackets.
    ['emails eq "ada@example.com"', ['ada']],
    ['emails.value eq "countess@home.example"', ['ada']],
    ['emails.value eq "bob@example.com"', ['bob']],
    ['emails co "@home."', ['ada']],
    ['emails[type eq "work"].value eq "eve@example.com"', ['eve']],
    ['emails[type eq "work"].value eq "countess@home.example"', []],
    ['emails[type eq "home"].value eq "countess@home.example"', ['ada']],
    ['emails[type eq "work" and value eq "ADA@example.com"]', ['ada']],
    ['emails[type eq "home"] and emails.value eq "ada@example.com"', ['ada']],
    ['emails[type eq "home"].value pr', ['ada']],
    ['emails[not (type eq "work")]', ['ada']],
    ['emails[primary eq true].value eq "countess@home.example"', []],
    ['emails[type eq "other"].value eq "nobody@example.com"', []],
    ['emails pr', all],
    ['emails.type eq "home"', ['ada']],
    ['phoneNumbers[type eq "mobile"].value eq "+447700900123"', ['ada']],
    ['phoneNumbers.value sw "+44"', ['ada']],
    ['not (phoneNumbers pr)', [admin, 'bob', 'eve']],
    ['photos pr', []],
    ['groups pr', []],
    // Attributes with the URN of their schema.
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@example.com"', ['ada']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:name.givenName eq "bob"', ['bob']],
    [`${ENTERPRISE}:department eq "engines"`, ['ada']],
    [`${ENTERPRISE.toUpperCase()}:Department eq "engines"`, ['ada']],
    [`${ENTERPRISE}:manager.value eq "$ada"`, ['bob']],
    [`${ENTERPRISE}:manager eq "$ada"`, ['bob']],
    [`${ENTERPRISE}:manager[value eq "$ada"]`, ['bob']],
    [`${ENTERPRISE}:manager.displayName eq "ada lovelace"`, ['bob']],
    [`${ENTERPRISE}:manager pr`, ['bob']],
    [`${OWNERSHIP}:directoryManaged eq true`, ['ada', 'bob', 'eve']],
    [`${OWNERSHIP}:role eq "USER_ROLE_ORG_ADMIN"`, [admin]],
    [`${OWNERSHIP}:fieldOwnership[attribute eq "title" and owner eq "FIELD_OWNER_DIRECTORY"]`, ['ada', 'bob']],
    // Attributes of RFC 7643 that no user has.
    ['nickName eq "x"', []],
    ['nickName ne "x"', all],
    ['not (userType pr)', all],
    ['addresses[type eq "work"].region eq "x"', []],
    ['preferredLanguage eq null', all],
    [`${ENTERPRISE}:employeeNumber eq "1"`, []],
    // The schemas follow from what a user has.
    [`schemas eq "${ENTERPRISE}"`, ['ada', 'bob']],
    [`not (schemas eq "${ENTERPRISE}")`, [admin, 'eve']],
    [`schemas eq "${USER}"`, all],
    [`schemas ne "${USER}"`, all],
    [`schemas eq "${OWNERSHIP}"`, all],
    [`schemas eq "${ENTERPRISE.toUpperCase()}"`, []],
    ['schemas co ":enterprise:"', ['ada', 'bob']],
    ['schemas sw "urn:ietf:params:scim:schemas:ext"', ['ada', 'bob']],
    ['schemas ew ":1.0"', []],
    ['schemas gt "urn:svc"', all],
    ['schemas lt "urn:ietf:params:scim:schemas:d"', all],
    ['schemas pr', all],
    ['schemas eq null', []],
    ['schemas ne null', all],
    // Times, with any offset.
    ['meta.created gt "2020-01-01T00:00:00Z"', all],
    ['meta.lastModified lt "2020-01-01T01:00:00.123+01:00"', []],
    ['meta.lastModified ge "2020-01-01T00:00:00"', all],
    ['meta.resourceType eq "User"', all],
  ])('%s finds %j', async (filter, expected) => {
    expect(await found(filter.replaceAll('$ada', ids['ada'] ?? ''))).toEqual(expected)
  })

  it.each<[filter: string, detail: string]>([
    ['', 'is not a valid filter'],
    ['userName', 'is not a valid filter'],
    ['userName eq', 'is not a valid filter'],
    ['userName eq "a" and', 'is not a valid filter'],
    ['userName eq "a', 'is not a valid filter'],
    ['userName eq a@b.example', 'outside a string'],
    ['userName eq )', 'is not a valid filter'],
    ["userName eq 'a'", 'outside a string'],
    ['userName is "a"', 'is not a valid filter'],
    ['(userName eq "a"', 'is not a valid filter'],
    ['userName eq "a")', 'is not a valid filter'],
    ['emails[type eq "work"', 'is not a valid filter'],
    ['userName eq "a"; DROP TABLE users', 'outside a string'],
    ['userName eq "\\x"', 'an invalid JSON string'],
    ['userName eq "a\\u0000"', 'U+0000'],
    ['userName eq "a" not title pr', 'is not a valid filter'],
    ['userName pr constructor title pr', 'is not a valid filter'],
    ['userName eq 5', 'put it in quotes'],
    ['userName eq true', 'put it in quotes'],
    ['userName gt null', 'only eq and ne support null'],
    ['active gt true', 'booleans support only eq and ne'],
    ['active co "t"', 'booleans support only eq and ne'],
    ['active eq "yes"', 'something other than true or false'],
    ['active eq 1', 'something other than true or false'],
    ['meta.created co "2020"', 'which only supports strings'],
    ['meta.created gt "yesterday"', 'an invalid time'],
    ['meta.created gt "2020-02-30T00:00:00Z"', 'an invalid time'],
    ['meta.created gt 5', 'an invalid time'],
    ['meta.version eq "x"', 'cannot be searched'],
    ['schemas[value eq "x"]', 'which has no sub-attributes'],
    ['schemas eq 5', 'put it in quotes'],
    ['schemas co null', 'only eq and ne support null'],
    ['meta.location pr', 'cannot be searched'],
    ['unknown eq "a"', 'the unknown attribute unknown'],
    ['password eq "a"', 'the unknown attribute password'],
    ['department eq "a"', 'the unknown attribute department'],
    ['urn:none:User:userName eq "a"', 'the unknown attribute urn:none:User:userName'],
    ['name.nothing eq "a"', 'the unknown attribute name.nothing'],
    ['name.givenName.x eq "a"', 'the unknown attribute name.givenName.x'],
    ['name eq "Ada"', 'compare one of its sub-attributes'],
    ['emails[unknown eq "a"]', 'emails does not have'],
    ['userName[value eq "a"]', 'which has no sub-attributes'],
    [`${'('.repeat(21)}title pr${')'.repeat(21)}`, 'nests more than 20 levels deep'],
    [Array.from({ length: 101 }, () => 'title pr').join(' or '), 'more than 100 comparisons'],
    [`title eq "${'x'.repeat(8_200)}"`, 'more than 8192 characters'],
  ])('%s is refused', async (filter, detail) => {
    const answer = await directory.send('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter,
    })
    expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidFilter'])
    expect(answer.body.detail).toContain(detail)
  })
})
