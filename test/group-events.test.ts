import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { eventually } from './support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './support/fixture.js'
import { connectDirectory, type ScimClient } from './support/scim.js'
import { startTestService, type TestService } from './support/service.js'
import { importLines } from './transfer/transfer-text.js'

const { acme, users } = fixture

let service: TestService
let provider: ScimClient
let token: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  provider = await connectDirectory(service)
  token = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())

interface Place {
  readonly groupId: string
  readonly leaver: string
  readonly joiner: string
}

const record = ({ groupId, joiner }: Place) => ({
  group: { id: groupId, organizationId: acme, name: groupId, userIds: [joiner] },
})
const replaced = (what: string) => [`${what} in place of the members`, ['ADDED joiner', 'REMOVED leaver']] as const

it.each<[what: string, changes: readonly string[], write: (place: Place) => Promise<unknown>]>([
  [
    'a directory adds',
    ['ADDED joiner'],
    ({ groupId, joiner }) =>
      provider.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: joiner }] }),
  ],
  [
    'a directory removes',
    ['REMOVED leaver'],
    ({ groupId, leaver }) =>
      provider.patch(`/Groups/${groupId}`, { op: 'remove', path: `members[value eq "${leaver}"]` }),
  ],
  [
    ...replaced('a directory puts'),
    ({ groupId, joiner }) =>
      provider.send('PUT', `/Groups/${groupId}`, { displayName: groupId, members: [{ value: joiner }] }),
  ],
  ['a directory deletes', ['REMOVED leaver'], ({ leaver }) => provider.send('DELETE', `/Users/${leaver}`)],
  [
    'a caller adds',
    ['ADDED joiner'],
    ({ groupId, joiner }) => service.rest('PUT', `/v2/groups/${groupId}/members/${joiner}`, { token, json: {} }),
  ],
  [
    'a caller removes',
    ['REMOVED leaver'],
    ({ groupId, leaver }) => service.rest('DELETE', `/v2/groups/${groupId}/members/${leaver}`, { token }),
  ],
  [...replaced('a caller imports'), (place) => service.rest('POST', '/v2/imports', { token, json: [record(place)] })],
  [...replaced('an operator imports'), (place) => importLines(service.database, [JSON.stringify(record(place))])],
])('an event of the group names the person whom %s', async (what, changes, write) => {
  const groupId = `group ${what}`.replaceAll(' ', '-')
  const [leaver, joiner] = [`leaver-of-${groupId}`, `joiner-of-${groupId}`]
  for (const id of [leaver, joiner]) await insertUser(service.database, { id, organizationId: acme })
  await service.database.execute('INSERT INTO groups (organization_id, id, name) VALUES ($1, $2, $2)', [acme, groupId])
  await service.database.execute(
    'INSERT INTO group_members (organization_id, group_id, user_id, position) VALUES ($1, $2, $3, 0)',
    [acme, groupId, leaver],
  )
  await write({ groupId, leaver, joiner })

  const { json } = await service.rest('GET', `/v2/audit-events?targetId=${groupId}`, { token })
  expect(json.data).toHaveLength(1)
  const [{ id, ...event }] = json.data
  const isDirectory = what.startsWith('a directory')
  const manages = isDirectory && what !== 'a directory deletes' ? ['directoryManaged'] : []
  expect(event).toMatchObject({ action: 'group.update', changedFields: [...manages, 'members'] })
  expect(event.changes).toEqual(
    changes.map((change) => {
      const [outcome, who] = change.split(' ')
      return {
        field: 'USER_PROFILE_FIELD_UNSPECIFIED',
        outcome: `FIELD_WRITE_OUTCOME_${outcome}`,
        oldOwner: 'FIELD_OWNER_UNSPECIFIED',
        newOwner: 'FIELD_OWNER_UNSPECIFIED',
        userId: who === 'joiner' ? joiner : leaver,
      }
    }),
  )
  await eventually(async () => {
    const events = (await service.rest('GET', `/v2/events?targetId=${groupId}`, { token })).json.data
    expect(events).toMatchObject([{ id, type: 'group.update', changedFields: event.changedFields }])
  })
})

it('an event of a new group of a directory names its members', async () => {
  const { token } = await insertApiKey(service.database, { organizationId: acme })
  const made = await provider.send('POST', '/Groups', { displayName: 'New', members: [{ value: users.agent }] })
  const { json } = await service.rest('GET', `/v2/audit-events?targetId=${made.body.id}`, { token })
  expect(json.data).toMatchObject([
    { action: 'group.create', changes: [{ outcome: 'FIELD_WRITE_OUTCOME_ADDED', userId: users.agent }] },
  ])
})
