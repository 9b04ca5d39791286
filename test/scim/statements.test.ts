import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'
import { createTestMeters } from '../support/statement-count.js'

const { users } = fixture

describe('an incremental sync', () => {
  let service: TestService
  let okta: ScimClient
  let serial = 0
  let id: string
  let person: Readonly<Record<string, unknown>>
  const { meters, statements } = createTestMeters()
  beforeAll(async () => {
    service = await startTestService({ meters })
    await insertFixture(service.database)
    okta = await connectDirectory(service)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    serial += 1
    person = {
      ...{ userName: `sync.${serial}@example.com`, externalId: `sync-${serial}`, title: 'Analyst', active: true },
      ...{ name: { givenName: 'Ada', familyName: 'Lovelace' }, locale: 'en-GB', timezone: 'Europe/London' },
      phoneNumbers: [{ type: 'work', value: `+1415559${1000 + serial}` }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: users.manager } },
    }
    id = (await okta.add(person)).id
    statements.length = 0
  })

  it.each<[change: string, changes: object]>([
    ['nothing', {}],
    ['a title', { title: 'Countess' }],
    ['a new department', { [ENTERPRISE]: { department: 'Poetry', manager: { value: users.manager } } }],
    ['all of the name', { name: { givenName: 'Augusta', familyName: 'Byron' }, displayName: 'Lady Byron' }],
    ['a deactivation', { active: false }],
    ['what is no longer supplied', { title: null, locale: null, phoneNumbers: [] }],
    ['a manager who goes', { [ENTERPRISE]: { department: 'Engines' } }],
    ['another externalId', { externalId: 'other' }],
  ])('takes three statements at most for a user, the look-up of the key among them: %s', async (change, changes) => {
    const { status } = await okta.send('PUT', `/Users/${id}`, {
      ...person,
      ...changes,
      ...(change === 'another externalId' && { externalId: `other-${serial}` }),
    })
    expect(status).toBe(200)
    expect(statements).toEqual([
      'select_management_keys',
      'lock_scim_user',
      ...(change === 'nothing' ? [] : ['write_member_at_once']),
    ])
  })

  it('takes as many for a PATCH', async () => {
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Countess' })
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Countess' })
    expect(statements).toEqual([
      ...['select_management_keys', 'lock_scim_user', 'write_member_at_once'],
      ...['select_management_keys', 'lock_scim_user'],
    ])
  })
})
