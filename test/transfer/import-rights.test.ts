import { fromJson, type JsonValue } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { RecordOutcome, TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { keyPermissions, type Permission } from '../../src/domain/caller/caller.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from '../support/fixture.js'
import { type RestAnswer, startTestService, type TestService } from '../support/service.js'
import { allRows } from './transfer-text.js'

const { acme, globex, it: team, users } = fixture
const RUNS = 15

let service: TestService
let admin: string
let writer: string

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  // Those of the fixture have no steps.
  await service.database.execute('DELETE FROM approval_procedures')
  admin = await insertUserToken(service.database, { userId: users.admin })
  const writes = keyPermissions.filter((permission) => permission.endsWith(':write'))
  writer = (await insertApiKey(service.database, { organizationId: acme, permissions: writes })).token
})
afterAll(() => service.stop())

type Records = readonly Record<string, Record<string, unknown>>[]

const send = (records: Records, { token = admin, isPlan = false } = {}): Promise<RestAnswer> =>
  service.rest('POST', `/v2/imports${isPlan ? '?validateOnly=true' : ''}`, { token, json: records })
const plan = async (records: Records, token = admin) => (await send(records, { token, isPlan: true })).json.data
/** What a plan says of a single record. */
const faultsOf = async (record: Records[number], token = admin): Promise<string[]> =>
  (await plan([record], token))[0].faults

const newTeam = (id: string, name = 'New') => ({ team: { id, organizationId: acme, name } })

/** The exported user of an id. */
async function exported(kind: string, id: string): Promise<Record<string, unknown>> {
  const { text } = await service.rest('GET', '/v2/exports', { token: admin })
  const records = text
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line)[kind] ?? [])
  return records.find((record) => record.id === id)
}

describe('an import gives nobody more than its caller has', () => {
  const forAdministrators = 'can be changed only by administrators, and organization API keys with every permission'
  const administrators =
    'only administrators and organization API keys with every permission can grant or revoke the administrator role, or change the email address of an administrator, deactivate or reactivate one, or end the sessions of one: use such a credential'
  const owned = (field: string, owner: string) => ({
    fieldOwnership: [{ field: `USER_PROFILE_FIELD_${field}`, owner: `FIELD_OWNER_${owner}` }],
  })

  beforeAll(async () => {
    await insertUser(service.database, { id: 'managed', organizationId: acme })
    await service.database.execute(`UPDATE memberships SET directory_managed = true WHERE user_id = 'managed'`)
    await service.database.execute(`UPDATE groups SET directory_external_id = 'x' WHERE id = $1`, [fixture.groups.it])
  })

  const rows: [string, 'admin' | 'writer', string, object, string][] = [
    [
      'their own role',
      'admin',
      users.admin,
      { role: 'USER_ROLE_ORG_MEMBER' },
      'user.role: users cannot change their own role: omit it, or ask another administrator',
    ],
    [
      'an administrator, by a key with less',
      'writer',
      users.agent,
      { role: 'USER_ROLE_ORG_ADMIN' },
      `user.role: ${administrators}`,
    ],
    [
      'a new administrator',
      'writer',
      'new',
      { email: 'n@example.com', role: 'USER_ROLE_ORG_ADMIN' },
      `user.role: ${administrators}`,
    ],
    [
      "an administrator's role",
      'writer',
      users.admin,
      { role: 'USER_ROLE_ORG_MEMBER' },
      `user.role: ${administrators}`,
    ],
    [
      "an administrator's address",
      'writer',
      users.admin,
      { email: 'mine@example.com' },
      `user.email: ${administrators}`,
    ],
    [
      "an administrator's activity",
      'writer',
      users.admin,
      { deactivatedAt: '2026-03-01T00:00:00Z' },
      `user.deactivatedAt: ${administrators}`,
    ],
    [
      'a role in a team that can read',
      'writer',
      users.requester,
      { teamRoles: [{ teamId: team, role: 'TEAM_USER_ROLE_VIEWER' }] },
      `user.teamRoles: TEAM_USER_ROLE_VIEWER in ${team}: the permission access:read is required: use a credential that has it here`,
    ],
    [
      'what the directory manages',
      'admin',
      users.agent,
      { directoryManaged: true },
      'user.directoryManaged: is set by the directory alone',
    ],
    [
      'what the directory locks',
      'admin',
      users.agent,
      owned('DEPARTMENT', 'DIRECTORY'),
      'user.fieldOwnership: only the directory locks DEPARTMENT',
    ],
    [
      'whom the directory manages, their address',
      'admin',
      'managed',
      { email: 'm@example.com' },
      'user.email: must be the only change in a request: send the other changes separately',
    ],
    [
      'whom the directory manages, their activity',
      'admin',
      'managed',
      { deactivatedAt: '2026-03-01T00:00:00Z' },
      'user.deactivatedAt: the user comes from the directory: deactivate or reactivate the user in the identity provider',
    ],
  ]
  it.each(rows)('%s', async (_, who, id, change, fault) => {
    const token = who === 'admin' ? admin : writer
    const standing = id === 'new' ? { id, organizationId: acme } : await exported('user', id)
    const before = await allRows(service.database)
    expect(await faultsOf({ user: { ...standing, ...change } }, token)).toEqual([fault])
    expect((await send([{ user: { ...standing, ...change } }], { token })).status).toBeGreaterThanOrEqual(400)
    expect(await allRows(service.database)).toEqual(before)
  })

  it('groups of the directory, the region, or the name by a key with less', async () => {
    const group = await exported('group', fixture.groups.it)
    expect(await faultsOf({ group: { ...group, name: 'Mine' } })).toEqual([
      'group.id: the directory manages the group: change it there',
    ])
    expect(await faultsOf({ organization: { id: acme, name: 'Acme', region: 'eu' } })).toEqual([
      'organization.region: cannot be changed: the data stays where it is',
    ])
    expect(await faultsOf({ organization: { id: acme, name: 'Mine' } }, writer)).toEqual([
      `organization.name: ${forAdministrators}`,
    ])
    expect(await faultsOf({ organization: { id: acme, name: 'Acme' } }, writer)).toEqual([])
  })

  it('has callers who can write everything, and an export those who can read it as well', async () => {
    const tokenWithout = async (permission: Permission) => {
      const permissions = keyPermissions.filter((each) => each !== permission)
      return (await insertApiKey(service.database, { organizationId: acme, permissions })).token
    }
    const statusOf = async (token: string) => [
      (await send([newTeam('team-5')], { token })).status,
      (await service.rest('GET', '/v2/exports', { token })).status,
    ]
    expect(await statusOf(await tokenWithout('access:write'))).toEqual([403, 403])
    // An export is read.
    expect(await statusOf(await tokenWithout('access:read'))).toEqual([200, 403])
    expect(await statusOf((await insertApiKey(service.database, { organizationId: acme })).token)).toEqual([200, 200])
    const manager = await insertUserToken(service.database, { userId: users.manager })
    expect(await statusOf(manager)).toEqual([403, 403])
  })
})

describe('on random data, an import over the API', () => {
  const ids = fc.constantFrom('r-1', 'r-2', 'r-3', users.admin, users.agent, users.globexAdmin)
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const teams = fc.constantFrom(team, 'r-team', fixture.globexIt)
  const organizationId = fc.oneof(
    { weight: 9, arbitrary: fc.constant(acme) },
    { weight: 1, arbitrary: fc.constant(globex) },
  )
  const record: fc.Arbitrary<Records[number]> = fc.oneof(
    fc.record({
      team: fc.record({ id: fc.constantFrom('r-team', team), organizationId, name: fc.constantFrom('A', 'B') }),
    }),
    fc.record({
      user: fc.record({
        id: ids,
        organizationId,
        email: fc.constantFrom('r1@example.com', 'r2@example.com', 'r3@example.com'),
        role: optional(fc.constantFrom('USER_ROLE_ORG_ADMIN', 'USER_ROLE_ORG_GUEST')),
        primaryPhone: optional(fc.constantFrom('+14155552671', '+14155552672')),
        managerUserId: optional(ids),
        teamRoles: optional(
          fc.record({ teamId: teams, role: fc.constant('TEAM_USER_ROLE_AGENT') }).map((each) => [each]),
        ),
      }),
    }),
    fc.record({ group: fc.record({ id: ids, organizationId, name: fc.constant('G'), userIds: fc.uniqueArray(ids) }) }),
    fc.record({
      priority: fc.record({
        id: ids,
        teamId: teams,
        priority: fc.constant('P1'),
        name: fc.constantFrom('', 'One', 'Two'),
        scopedId: optional(fc.constantFrom('one', 'two')),
      }),
    }),
  )

  it('does what its plan says, and leaves other organizations alone', async () => {
    const client = service.client(TransferService, admin)
    const theirs = async () => {
      const rows = await allRows(service.database)
      return [rows['organizations'], rows['memberships']].flat().filter((row) => row?.includes(globex))
    }
    const before = await theirs()
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (list) => {
        const records = list.map((each) => fromJson(ImportRecordSchema, JSON.parse(JSON.stringify(each)) as JsonValue))
        const rows = await allRows(service.database)
        const { data } = await client.importRecords({ records, validateOnly: true })
        expect(data.map(({ line }) => line)).toEqual(records.map((_, index) => index + 1))
        expect(await allRows(service.database)).toEqual(rows)
        const result = await client.importRecords({ records }).catch((error: unknown) => ConnectError.from(error))
        const refused = data.filter(({ outcome }) => outcome === RecordOutcome.REFUSED)
        if (result instanceof ConnectError) {
          expect(
            refused
              .flatMap(({ line, faults }) => faults.map((fault) => `records[${line - 1}].${fault} (line ${line})`))
              .join('; '),
          ).toBe(result.rawMessage)
          expect(await allRows(service.database)).toEqual(rows)
        } else {
          expect(result.data).toEqual(data)
          expect(refused).toEqual([])
        }
        expect(await theirs()).toEqual(before)
      }),
      { numRuns: RUNS },
    )
  })
})
