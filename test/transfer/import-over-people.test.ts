import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { NO_MANAGER } from './record-lines.js'
import { allRows, exportedRecord, importLines, line, planLines } from './transfer-text.js'

const organization = line('organization', { id: 'org_a', name: 'A' })
const team = line('team', { id: 'team_a', organizationId: 'org_a', name: 'A' })
const user = (id: string, fields: object = {}) =>
  line('user', { id, organizationId: 'org_a', email: `${id}@a.example`, ...fields })
const since = '2026-02-03T04:05:06.000Z'
const lockOf = (field: string) => ({ field: `USER_PROFILE_FIELD_${field}`, owner: 'FIELD_OWNER_DIRECTORY', since })
const locked = {
  firstName: 'Mia',
  department: 'Sales',
  directoryManaged: true,
  fieldOwnership: [lockOf('FIRST_NAME'), lockOf('DEPARTMENT')],
}
const gone = { ...locked, deactivatedAt: '2026-03-01T00:00:00.000Z' }
const teamRoles = [{ teamId: 'team_a', role: 'TEAM_USER_ROLE_AGENT' }]

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
  await importLines(database, [organization, team, user('mia', gone), user('tom', locked), user('eve')])
})
afterEach(() => testDatabase.drop())

const auditEvents = () =>
  database.query(
    `SELECT actor_kind::text, actor_id, action, target_type, target_id, changes FROM audit_events ORDER BY target_id`,
  )
const change = (field: string, outcome: string, oldOwner: string, newOwner: string) => ({
  field: `USER_PROFILE_FIELD_${field}`,
  outcome: `FIELD_WRITE_OUTCOME_${outcome}`,
  oldOwner: `FIELD_OWNER_${oldOwner}`,
  newOwner: `FIELD_OWNER_${newOwner}`,
})

describe('an import', () => {
  it('reactivates no user and unlocks no directory field by omission, and names every such line', async () => {
    const before = await allRows(database)
    const error = await importLines(database, [
      user('mia', { teamRoles }),
      user('eve', { teamRoles }),
      user('tom'),
    ]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      name: 'ImportError',
      message: [
        'line 1: user.deactivatedAt: the user is deactivated, and would be reactivated',
        'line 1: user.directoryManaged: the directory manages the user, and no longer would',
        "line 1: user.fieldOwnership: the directory's lock would be lost on FIRST_NAME, DEPARTMENT",
        'line 3: user.directoryManaged: the directory manages the user, and no longer would',
        "line 3: user.fieldOwnership: the directory's lock would be lost on FIRST_NAME, DEPARTMENT",
        'Nothing was imported; use --force to import everything.',
      ].join('\n'),
    })
    expect(await allRows(database)).toEqual(before)
    expect(await auditEvents()).toEqual([])
  })

  it('names the first twenty such lines and counts the others', async () => {
    const people = Array.from({ length: 23 }, (_, index) => `user_${index}`)
    await importLines(
      database,
      people.map((id) => user(id, { deactivatedAt: since })),
    )
    await expect(
      importLines(
        database,
        people.map((id) => user(id)),
      ),
    ).rejects.toThrow(/^(line \d+: user\.deactivatedAt: .*\n){20}and 3 more\nNothing was imported/)
  })

  it('does so with force, and records one event for each changed member', async () => {
    await importLines(database, [user('mia', { teamRoles }), user('tom', locked), user('eve', { teamRoles })], {
      isForced: true,
    })
    expect(await exportedRecord(database, 'user', 'mia')).toMatchObject({
      firstName: '',
      directoryManaged: false,
      teamRoles,
    })
    expect(await exportedRecord(database, 'user', 'mia')).not.toHaveProperty('deactivatedAt')
    const event = { actor_kind: 'SYSTEM', actor_id: '', action: 'user.import', target_type: 'user' }
    expect(await auditEvents()).toEqual([
      { ...event, target_id: 'eve', changes: [] },
      {
        ...event,
        target_id: 'mia',
        changes: [
          change('FIRST_NAME', 'WRITTEN', 'DIRECTORY', 'AUTOMATION'),
          change('DEPARTMENT', 'WRITTEN', 'DIRECTORY', 'AUTOMATION'),
        ],
      },
    ])
  })

  it('records owners that change without their values', async () => {
    const pin = { field: 'USER_PROFILE_FIELD_JOB_TITLE', owner: 'FIELD_OWNER_PINNED', since }
    const pinned = user('eve', { jobTitle: 'Chief', fieldOwnership: [pin] })
    await importLines(database, [pinned])
    await importLines(database, [pinned])
    await importLines(database, [user('eve', { jobTitle: 'Chief' })])
    expect(await database.query('SELECT changes FROM audit_events ORDER BY occurred_at, id')).toEqual([
      { changes: [change('JOB_TITLE', 'PINNED', 'AUTOMATION', 'PINNED')] },
      { changes: [change('JOB_TITLE', 'RELEASED', 'PINNED', 'AUTOMATION')] },
    ])
  })

  it.each([
    ['a reactivated user', 'mia', { isForced: true }, {}],
    ['a deactivated user', 'eve', {}, { deactivatedAt: since }],
  ])('ends the tokens of %s', async (_, id, mode, fields) => {
    await database.query(
      `INSERT INTO user_tokens (token_hash, organization_id, user_id, expires_at) VALUES ('\\x01', 'org_a', $1, 'infinity')`,
      [id],
    )
    await importLines(database, [user(id, fields)], mode)
    expect(await database.query('SELECT 1 FROM user_tokens')).toEqual([])
  })

  it('keeps the tokens of remaining members', async () => {
    await database.query(
      `INSERT INTO user_tokens (token_hash, organization_id, user_id, expires_at) VALUES ('\\x01', 'org_a', 'eve', 'infinity')`,
    )
    await importLines(database, [user('eve', { teamRoles })])
    expect(await database.query('SELECT 1 AS one FROM user_tokens')).toEqual([{ one: 1 }])
  })
})

describe('a merging import', () => {
  it('grants a role and leaves everything else unchanged', async () => {
    const before = await exportedRecord(database, 'user', 'mia')
    await importLines(database, [user('mia', { teamRoles })], { isMerge: true })
    expect(await exportedRecord(database, 'user', 'mia')).toEqual({ ...before, teamRoles })
    await importLines(database, [user('mia', { jobTitle: 'Chief', department: null })], { isMerge: true })
    expect(await exportedRecord(database, 'user', 'mia')).toEqual({ ...before, teamRoles, jobTitle: 'Chief' })
  })

  it('clears what a record gives as empty', async () => {
    await importLines(database, [user('eve', { jobTitle: 'Chief', teamRoles })])
    await importLines(database, [user('eve', { jobTitle: '', teamRoles: [] })], { isMerge: true })
    expect(await exportedRecord(database, 'user', 'eve')).toMatchObject({ jobTitle: '', teamRoles: [] })
  })

  it('updates the date of a new manager', async () => {
    const managerAssignedAt = '2026-02-02T02:02:02.000Z'
    await importLines(database, [user('eve', { managerUserId: 'tom', managerAssignedAt })])
    await importLines(database, [user('eve', { jobTitle: 'Chief' })], { isMerge: true })
    expect(await exportedRecord(database, 'user', 'eve')).toMatchObject({ managerUserId: 'tom', managerAssignedAt })
    await importLines(database, [user('eve', { managerUserId: 'mia' })], { isMerge: true })
    expect((await exportedRecord(database, 'user', 'eve'))['managerAssignedAt']).not.toBe(managerAssignedAt)
  })

  it('accepts both names of a field, and keeps parts of every kind', async () => {
    const journey = (fields: object) =>
      `{"journey":${JSON.stringify({ id: '0198a1c0-7d00-7000-8000-0000000000aa', teamId: 'team_a', name: 'J', ...fields })}}`
    const task = { id: '0198a1c0-7d00-7000-8000-000000000001', name: 'one' }
    const full = { tasks: [task], metadata: { welcomeTitle: 'Hello' }, dueDate: { year: 2026, month: 2, day: 28 } }
    await importLines(database, [journey({ ...full, description: 'long' })])
    const before = await exportedRecord(database, 'journey', '0198a1c0-7d00-7000-8000-0000000000aa')
    await importLines(database, [journey({ due_date: { year: 2027, month: 1, day: 1 } })], { isMerge: true })
    expect(await exportedRecord(database, 'journey', '0198a1c0-7d00-7000-8000-0000000000aa')).toEqual({
      ...before,
      dueDate: { year: 2027, month: 1, day: 1 },
    })
  })
})

describe('a plan', () => {
  it('reports what would become of each record, and writes nothing', async () => {
    const before = await allRows(database)
    const lines = [user('mia', { teamRoles }), user('new'), user('tom', locked), user('eve', { jobTitle: 'Chief' })]
    const { kinds, records } = await planLines(database, lines)
    expect(kinds).toEqual([{ kind: 'user', records: 4, created: 1, updated: 2 }])
    expect(records.map(({ line, id, outcome, fields, faults }) => [line, id, outcome, fields, faults.length])).toEqual([
      [
        1,
        'mia',
        'refused',
        ['deactivatedAt', 'department', 'directoryManaged', 'fieldOwnership', 'firstName', 'teamRoles'],
        3,
      ],
      [2, 'new', 'created', [], 0],
      [3, 'tom', 'unchanged', [], 0],
      [4, 'eve', 'updated', ['jobTitle'], 0],
    ])
    expect(await allRows(database)).toEqual(before)
    expect(await auditEvents()).toEqual([])
  })

  it('matches the result of a merge or a forced import', async () => {
    const lines = [user('mia', { teamRoles })]
    const [merged] = (await planLines(database, lines, { isMerge: true })).records
    expect(merged).toMatchObject({ outcome: 'updated', fields: ['teamRoles'], organizationId: 'org_a', kind: 'user' })
    const [forced] = (await planLines(database, lines, { isForced: true })).records
    expect(forced).toMatchObject({ outcome: 'updated', faults: [] })
  })

  it('names an email address that would change', async () => {
    const [planned] = (await planLines(database, [user('eve', { email: 'new@a.example' })])).records
    expect(planned).toMatchObject({ outcome: 'updated', fields: ['email'] })
  })

  it('refuses what cannot be written, and what depends on it, in every line', async () => {
    const group = line('group', { id: 'g', organizationId: 'org_a', name: 'G', userIds: ['mia', 'new'] })
    const lines = [user('new', { managerUserId: 'zoe' }), user('eve', { managerUserId: 'new' }), group, team]
    const { records } = await planLines(database, lines)
    expect(records.map(({ outcome, faults }) => [outcome, faults])).toEqual([
      ['refused', [NO_MANAGER]],
      ['refused', [NO_MANAGER]],
      ['refused', ['group.userIds[1]: there is no user new in the organization']],
      ['unchanged', []],
    ])
    await expect(importLines(database, lines)).rejects.toThrow(
      [1, 2, 3].map((number) => `line ${number}: ${records[number - 1]?.faults[0]}`).join('\n'),
    )
  })
})

it('an import of many records updates the statistics of its tables', async () => {
  const people = Array.from({ length: 1_000 }, (_, index) => `user_${index}`)
  const group = line('group', { id: 'group_a', organizationId: 'org_a', name: 'G', userIds: people })
  await importLines(database, [...people.map((id) => user(id)), group])
  const rows = await database.query(
    `SELECT relname AS table FROM pg_class WHERE relname IN ('memberships', 'group_members') AND reltuples >= 1000`,
  )
  expect(rows).toHaveLength(2)
})
