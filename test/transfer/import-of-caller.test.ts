import { create } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { ImportRecordSchema, UserRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { UserProfileField } from '../../gen/svc/v2/user_pb.js'
import { services } from '../../src/handlers/routes.js'
import { accessRuleOf } from '../../src/limits/method-rules.js'
import { recordKinds } from '../../src/store/transfer/kind.js'
import { writtenByUsersOnly } from '../../src/transfer/import-rights.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from '../support/fixture.js'
import { connectDirectory } from '../support/scim.js'
import { protocols, type RestAnswer, startTestService, type TestService } from '../support/service.js'
import { allRows } from './transfer-text.js'

const { acme, it: team, people, users } = fixture

let service: TestService
let admin: string
let key: string
let writer: string
let serial = 0

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
  key = (await insertApiKey(service.database, { organizationId: acme })).token
  const permissions = ['access', 'apps', 'tickets', 'entities', 'users', 'teams', 'ingestion', 'webhooks'] as const
  const writes = permissions.map((each) => `${each}:write` as const)
  writer = (await insertApiKey(service.database, { organizationId: acme, permissions: writes })).token
})
afterAll(() => service.stop())

type Fields = Readonly<Record<string, unknown>>

const send = (records: readonly Fields[], token = key, isPlan = false): Promise<RestAnswer> =>
  service.rest('POST', `/v2/imports${isPlan ? '?validateOnly=true' : ''}`, { token, json: records })
const user = (id: string, fields: Fields = {}) => ({
  user: { id, organizationId: acme, email: `${id}@example.com`, ...fields },
})
const put = (id: string, json: Fields, token = admin) => service.rest('PUT', `/v2/users/${id}`, { token, json })
const userOf = async (id: string) => (await service.rest('GET', `/v2/users/${id}`, { token: admin })).json.data
const owned = (field: string, owner: string) => ({
  field: `USER_PROFILE_FIELD_${field}`,
  owner: `FIELD_OWNER_${owner}`,
})

async function newUser(columns: Fields = {}): Promise<string> {
  serial += 1
  const id = `person-${serial}`
  await insertUser(service.database, { id, organizationId: acme, columns: { ...columns } })
  return id
}

const eventsOf = (targetId: string) =>
  service.database.query(
    'SELECT action, actor_kind::text AS actor, changes, changed_fields, team_id FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
    [targetId],
  )
const change = (field: string, outcome: string, oldOwner: string, newOwner: string) => ({
  field: `USER_PROFILE_FIELD_${field}`,
  outcome: `FIELD_WRITE_OUTCOME_${outcome}`,
  oldOwner: `FIELD_OWNER_${oldOwner}`,
  newOwner: `FIELD_OWNER_${newOwner}`,
})

describe("a key's import of a user", () => {
  it.each(protocols)('leaves pins and what it does not mention alone, and says so, over %s', async (protocol) => {
    const id = await newUser({ job_title: 'Analyst', last_name: 'Lovelace' })
    await put(id, { department: 'Research', timezone: 'Europe/London' })
    await service.rest('POST', '/v2/user-relationships', {
      token: admin,
      json: { userId: id, relatedUserId: users.manager },
    })
    const directory = await connectDirectory(service)
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'locale', value: 'en-GB' })
    const before = await userOf(id)
    const client = service.client(TransferService, key, protocol)
    const value = {
      id,
      organizationId: acme,
      email: before.email,
      department: 'M',
      managerUserId: users.builder,
      timezone: 'Europe/London',
      locale: 'en-GB',
      jobTitle: '',
    }
    const record = create(ImportRecordSchema, {
      resource: { case: 'user', value: create(UserRecordSchema, value) },
    })
    const expected = {
      changedFields: ['jobTitle'],
      skippedPinnedFields: [UserProfileField.DEPARTMENT, UserProfileField.MANAGER],
      skippedDirectoryLockedFields: [UserProfileField.LOCALE],
    }
    const planned = await client.importRecords({ records: [record], validateOnly: true })
    expect(planned.data).toEqual([expect.objectContaining(expected)])
    expect(await userOf(id)).toEqual(before)
    const done = await client.importRecords({ records: [record] })
    expect(done.data).toEqual([expect.objectContaining(expected)])
    expect(await userOf(id)).toEqual({ ...before, jobTitle: '' })
    const [event, ...more] = (await eventsOf(id)).filter(({ action }) => action === 'user.import')
    expect(more).toEqual([])
    expect(event).toMatchObject({
      actor: 'API_KEY',
      changes: [
        change('TIMEZONE', 'UNCHANGED', 'PINNED', 'PINNED'),
        change('LOCALE', 'SKIPPED_DIRECTORY_LOCKED', 'DIRECTORY', 'DIRECTORY'),
        change('DEPARTMENT', 'SKIPPED_PINNED', 'PINNED', 'PINNED'),
        change('JOB_TITLE', 'WRITTEN', 'AUTOMATION', 'AUTOMATION'),
        change('MANAGER', 'SKIPPED_PINNED', 'PINNED', 'PINNED'),
      ],
    })
  })

  it('pins what it names as pinned and sets, and nothing else', async () => {
    const id = await newUser()
    const json = [user(id, { department: 'A', jobTitle: 'B', fieldOwnership: [owned('JOB_TITLE', 'PINNED')] })]
    expect((await send(json)).status).toBe(200)
    const { fieldOwnership } = await userOf(id)
    const pins = fieldOwnership.filter(({ owner }: { owner: string }) => owner === 'FIELD_OWNER_PINNED')
    expect(pins.map(({ field }: { field: string }) => field)).toEqual(['USER_PROFILE_FIELD_JOB_TITLE'])
  })

  const aloneFault = 'email: must be the only change in a request: send the other changes separately'
  it.each<[string, Fields, string]>([
    [
      'a pin of a picture',
      { avatarUrl: 'https://x.example/a', fieldOwnership: [owned('AVATAR_URL', 'PINNED')] },
      'fieldOwnership: USER_PROFILE_FIELD_AVATAR_URL cannot be pinned here: omit it',
    ],
    [
      'a pin of what it does not set',
      { fieldOwnership: [owned('DEPARTMENT', 'PINNED')] },
      'fieldOwnership: USER_PROFILE_FIELD_DEPARTMENT cannot be pinned without a value: set it in the same request, or do not pin it',
    ],
    [
      'a lock of the directory',
      { department: 'A', fieldOwnership: [owned('DEPARTMENT', 'DIRECTORY')] },
      'fieldOwnership: only the directory locks DEPARTMENT',
    ],
    [
      'an address beside a value, even the current one',
      { email: 'moved@example.com', firstName: 'person' },
      aloneFault,
    ],
    ['an address beside a role', { email: 'moved@example.com', role: 'USER_ROLE_ORG_MEMBER' }, aloneFault],
    [
      'an address beside a deactivation',
      { email: 'moved@example.com', deactivatedAt: '2026-03-01T00:00:00Z' },
      aloneFault,
    ],
    [
      'an address beside roles in teams',
      { email: 'moved@example.com', teamRoles: [{ teamId: team, role: 'TEAM_USER_ROLE_VIEWER' }] },
      aloneFault,
    ],
    [
      'an address that somebody has',
      { email: `${users.agent}@example.com` },
      `email: the email address belongs to ${users.agent} (user ${users.agent}): choose another one, or update that user`,
    ],
    [
      'a role in a team that has ended',
      { teamRoles: [{ teamId: team, role: 'TEAM_USER_ROLE_VIEWER', expiresAt: '2020-01-01T00:00:00Z' }] },
      `teamRoles: expiresAt of TEAM_USER_ROLE_VIEWER in ${team} must be in the future`,
    ],
    [
      'a manager who does not exist',
      { managerUserId: 'nobody' },
      'managerUserId: no such user in the organization: send the id of one of its users',
    ],
  ])('is refused with %s, as its method refuses it', async (_, fields, fault) => {
    const id = await newUser()
    const before = await allRows(service.database)
    const planned = (await send([user(id, fields)], key, true)).json.data
    expect(planned).toMatchObject([{ outcome: 'RECORD_OUTCOME_REFUSED', faults: [`user.${fault}`] }])
    const { status, json } = await send([user(id, fields)])
    expect([status, json.message]).toEqual([
      json.code === 'already_exists' ? 409 : 400,
      `records[0].user.${fault} (line 1)`,
    ])
    expect(await allRows(service.database)).toEqual(before)
  })

  it('changes an address that is alone, once', async () => {
    const id = await newUser()
    expect((await send([user(id, { email: `moved-${id}@example.com` })], writer)).json.data).toMatchObject([
      { outcome: 'RECORD_OUTCOME_UPDATED', changedFields: ['email'] },
    ])
    expect((await eventsOf(id)).map(({ action }) => action)).toEqual(['user.update_email'])
  })

  it('deactivates whom it says to be deactivated, and its silence reactivates nobody', async () => {
    const id = await newUser()
    const token = await insertUserToken(service.database, { userId: id })
    expect((await send([user(id, { deactivatedAt: '2026-03-01T00:00:00Z' })])).json.data).toMatchObject([
      { changedFields: ['deactivatedAt'] },
    ])
    expect((await service.rest('GET', '/v2/caller', { token })).status).toBe(401)
    const { deactivatedAt } = await userOf(id)
    await send([user(id, { jobTitle: 'Gone' })])
    await send([user(id, { deactivatedAt: '2026-03-01T00:00:00Z' })])
    expect(await userOf(id)).toMatchObject({ deactivatedAt, jobTitle: 'Gone' })
    expect((await eventsOf(id)).map(({ action }) => action)).toEqual(['user.deactivate', 'user.import'])
  })

  it('gives and takes roles in teams, each with the event of its method; none given are none changed', async () => {
    const id = await newUser()
    const role = (teamId: string, name = 'VIEWER') => ({ teamId, role: `TEAM_USER_ROLE_${name}` })
    await send([user(id, { teamRoles: [role(team), role(people)] })])
    await send([user(id, { jobTitle: 'Lead', teamRoles: [] })])
    await send([user(id, { teamRoles: [role(team, 'AGENT')] })])
    const rows = await service.database.query('SELECT team_id, role::text FROM team_members WHERE user_id = $1', [id])
    expect(rows).toEqual([{ team_id: team, role: 'AGENT' }])
    const recorded = (await eventsOf(id)).map(({ action, team_id, changed_fields }) => [
      action,
      team_id,
      changed_fields,
    ])
    expect(recorded).toEqual([
      ['team_member.set', team, ['role']],
      ['team_member.set', people, ['role']],
      ['user.import', '', ['jobTitle']],
      ['team_member.set', team, ['role']],
      ['team_member.remove', people, []],
    ])
  })
})

describe('users of one import are judged by what all of them will be', () => {
  it('so that numbers, addresses and managers change hands in any order', async () => {
    const [one, two, three] = [await newUser(), await newUser(), await newUser()]
    const phones = ['+14155559001', '+14155559002']
    await send([user(one, { primaryPhone: phones[0], managerUserId: two }), user(two, { primaryPhone: phones[1] })])
    const swapped = await send([
      user(two, { primaryPhone: phones[0], managerUserId: one }),
      user(one, { primaryPhone: phones[1], managerUserId: 'joins-later' }),
      user('joins-later', { managerUserId: three }),
    ])
    expect([swapped.status, swapped.text]).toEqual([200, swapped.text])
    expect([await userOf(one), await userOf(two)]).toMatchObject([
      { primaryPhone: phones[1], managerUserId: 'joins-later' },
      { primaryPhone: phones[0], managerUserId: one },
    ])
    const addresses = await send([
      user(one, { email: `${two}@example.com` }),
      user(two, { email: `${one}@example.com` }),
    ])
    expect([addresses.status, (await userOf(one)).email]).toEqual([200, `${two}@example.com`])
  })

  it('and a number that a pin keeps from changing hands is taken', async () => {
    const [one, two] = [await newUser(), await newUser()]
    const phones = ['+14155559011', '+14155559012']
    await put(one, { primaryPhone: phones[0] })
    const records = [user(two, { primaryPhone: phones[0] }), user(one, { primaryPhone: phones[1] })]
    expect((await send(records, key, true)).json.data).toMatchObject([
      { outcome: 'RECORD_OUTCOME_REFUSED', faults: [expect.stringMatching(/^user\.primaryPhone: /)] },
      { outcome: 'RECORD_OUTCOME_UNCHANGED', skippedPinnedFields: ['USER_PROFILE_FIELD_PRIMARY_PHONE'] },
    ])
    expect((await send(records)).status).toBe(409)
  })

  it('and newcomers neither share an address nor have a manager who is refused or would be below them', async () => {
    const records = [
      user('new-1', { email: 'same@example.com' }),
      user('new-2', { email: 'SAME@example.com', managerUserId: 'new-1' }),
      user('new-3', { managerUserId: 'new-2' }),
      user('new-4', { managerUserId: 'new-5' }),
      user('new-5', { managerUserId: 'new-4' }),
    ]
    const { json } = await send(records, key, true)
    expect(json.data.map(({ faults }: { faults: string[] }) => faults.map((fault) => fault.split(': ')[0]))).toEqual([
      [],
      ['user.email'],
      ['user.managerUserId'],
      ['user.managerUserId'],
      ['user.managerUserId'],
    ])
  })
})

describe('an import writes no kind of record whose methods refuse the credential', () => {
  it('which are those that the schema says', () => {
    const methods = services.flatMap((each) => each.methods)
    const rulesOf = (kind: string) => {
      const name = new RegExp(`^(Create|Update)(AccessPolicy(?=A))?${kind}$`, 'i')
      return methods.filter((method) => name.test(method.name)).map(accessRuleOf)
    }
    const refusesKeys = (kind: string) =>
      rulesOf(kind).some(({ credentialKinds }) => !credentialKinds.includes(CredentialKind.ORGANIZATION_API_KEY))
    // Journeys have no such method.
    expect(recordKinds.filter((kind) => rulesOf(kind).length === 0)).toEqual(['journey'])
    expect(recordKinds.filter(refusesKeys)).toEqual([...writtenByUsersOnly])
  })

  it('priorities by a key, new or changed; one that stands is no write', async () => {
    const priority = (fields: Fields = {}) => ({
      priority: { id: 'p-1', teamId: team, priority: 'P1', name: 'One', ...fields },
    })
    const fault = 'priority.id: is written with user tokens only: use one, or leave the record out'
    expect((await send([priority()], key, true)).json.data[0].faults).toEqual([fault])
    expect((await send([priority()])).status).toBe(403)
    expect((await send([priority()], admin)).status).toBe(200)
    expect((await send([priority()])).json.data).toMatchObject([{ outcome: 'RECORD_OUTCOME_UNCHANGED', faults: [] }])
    expect((await send([priority({ name: 'Two' })])).json.message).toBe(`records[0].${fault} (line 1)`)
  })

  it('groups as the directory, which nobody could then change', async () => {
    const group = { group: { id: 'g-1', organizationId: acme, name: 'G', directoryManaged: true } }
    expect((await send([group], admin, true)).json.data[0].faults).toEqual([
      'group.directoryManaged: is set by the directory alone',
    ])
    await send([{ group: { ...group.group, directoryManaged: false } }])
    await service.database.execute(`UPDATE groups SET directory_managed = true WHERE id = 'g-1'`)
    expect((await send([{ group: { ...group.group, directoryManaged: false } }], admin)).json.message).toContain(
      'group.id: the directory manages the group: change it there',
    )
  })
})
