import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { firstOrganizationId } from '../../src/store/organization.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { allRows, demoLines, exportedRecord, exportLines, importLines, line } from './transfer-text.js'

const organization = line('organization', { id: 'org_a', name: 'A' })
const team = line('team', { id: 'team_a', organizationId: 'org_a', name: 'A' })
const user = (id: string, fields: object = {}) =>
  line('user', { id, organizationId: 'org_a', email: `${id}@a.example`, ...fields })
const journeyId = '0198a1c0-7d00-7000-8000-0000000000aa'
const taskId = (number: number) => `0198a1c0-7d00-7000-8000-00000000000${number}`

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
})
afterEach(() => testDatabase.drop())

describe('an import', () => {
  it('imports the whole demo organization and counts it by kind', async () => {
    expect(await firstOrganizationId(database)).toBeUndefined()
    const { kinds } = await importLines(database, demoLines)
    expect(kinds).toContainEqual({ kind: 'user', records: 15, created: 15, updated: 0 })
    expect(kinds.reduce((sum, { records }) => sum + records, 0)).toBe(demoLines.length)
    expect(await firstOrganizationId(database)).toBeDefined()
  })

  it('changes nothing when it is repeated', async () => {
    await importLines(database, demoLines)
    const before = await allRows(database)
    const { kinds } = await importLines(database, demoLines)
    expect(await allRows(database)).toEqual(before)
    expect(kinds.every(({ created }) => created === 0)).toBe(true)
  })

  it('changes nothing when repeated without the values that the server fills in', async () => {
    const lines = [
      organization,
      team,
      user('user_a', { department: 'Sales', managerUserId: 'user_b' }),
      user('user_b'),
      line('accessPolicy', { id: 'policy_a', teamId: 'team_a', name: 'P' }),
      line('approvalProcedure', {
        id: 'procedure_a',
        accessPolicyId: 'policy_a',
        steps: [{ approvers: [{ appOwner: {} }] }],
      }),
      line('priority', { id: 'priority_a', teamId: 'team_a', priority: 'P1', name: 'P' }),
      line('appInstance', { id: 'app_a', teamId: 'team_a', name: 'App' }),
      line('appResource', { id: 'resource_a', appInstanceId: 'app_a', resourceType: 'role', name: 'R' }),
      line('journey', { id: journeyId, teamId: 'team_a', name: 'J' }),
      line('slaDefinition', { id: 'sla_a', teamId: 'team_a', name: 'S', actionDefinitions: [{ id: 'action_a' }] }),
    ]
    await importLines(database, lines)
    const before = await allRows(database)
    await importLines(database, lines)
    expect(await allRows(database)).toEqual(before)
  })

  it('accepts lines in any order', async () => {
    await importLines(database, [...demoLines].reverse())
    const reversed = (await exportLines(database)).sort()
    const other = await createTestDatabase()
    await importLines(other.open(), demoLines)
    expect((await exportLines(other.open())).sort()).toEqual(reversed)
    await other.drop()
  })

  it('applies the last of several lines with one id, in the position of the first', async () => {
    const priority = (id: string, name: string) => line('priority', { id, teamId: 'team_a', priority: 'P1', name })
    await importLines(database, [
      organization,
      team,
      priority('p_1', 'old'),
      priority('p_2', 'second'),
      priority('p_1', 'new'),
    ])
    const names = (await exportLines(database)).flatMap((text) => JSON.parse(text).priority?.name ?? [])
    expect(names).toEqual(['new', 'second'])
  })

  it('keeps the position of an existing record', async () => {
    await importLines(database, [organization, line('team', { id: 'team_1', organizationId: 'org_a', name: '1' })])
    await importLines(database, [
      line('team', { id: 'team_2', organizationId: 'org_a', name: '2' }),
      line('team', { id: 'team_1', organizationId: 'org_a', name: '1 renamed' }),
    ])
    const names = (await exportLines(database)).flatMap((text) => JSON.parse(text).team?.name ?? [])
    expect(names).toEqual(['1 renamed', '2'])
  })

  it('replaces the whole existing record', async () => {
    const tasks = [
      { id: taskId(1), name: 'one' },
      { id: taskId(2), name: 'two', parentTaskId: taskId(1) },
    ]
    const journey = (fields: object) => line('journey', { id: journeyId, teamId: 'team_a', name: 'J', ...fields })
    const full = {
      description: 'long',
      tasks,
      dueDate: { year: 2026, month: 2, day: 28 },
      healthChecks: [{ id: 'check_a' }],
      workflowFailures: [{ runId: 'run_a' }],
      customFields: [{ fieldId: 'field_a', dataType: 'DATA_TYPE_TEXT', value: 'x' }],
      metadata: { welcomeTitle: 'Hello' },
      createdByWorkflow: { id: 'workflow_a', name: 'W' },
    }
    await importLines(database, [organization, team, journey(full)])
    await importLines(database, [journey({ tasks: tasks.slice(0, 1) })])
    const exported = await exportedRecord(database, 'journey', journeyId)
    expect(exported).toMatchObject({ description: '', healthChecks: [], workflowFailures: [], customFields: [] })
    expect(exported['tasks']).toHaveLength(1)
    expect(exported).not.toHaveProperty('metadata')
    expect(exported).not.toHaveProperty('dueDate')
    expect(exported).not.toHaveProperty('createdByWorkflow')
  })

  it('keeps an empty message that is present', async () => {
    const parts = {
      createdByWorkflow: {},
      metadata: {},
      tasks: [{ id: taskId(1), name: 'one', latestWorkflowCall: {} }],
    }
    await importLines(database, [
      organization,
      team,
      line('journey', { id: journeyId, teamId: 'team_a', name: 'J', ...parts }),
    ])
    const [record, call] = [await exportedRecord(database, 'journey', journeyId), { id: '', createdAt: '' }]
    expect(record).toMatchObject({ createdByWorkflow: { id: '', name: '' }, metadata: { welcomeTitle: '' } })
    expect(record).toMatchObject({ tasks: [{ latestWorkflowCall: call }] })
  })

  it('stores ids of journeys and tasks in lower case', async () => {
    await importLines(database, [
      organization,
      team,
      line('journey', {
        id: journeyId.toUpperCase(),
        teamId: 'team_a',
        name: 'J',
        tasks: [
          { id: taskId(1), name: 'one' },
          { id: 'ABCDEF00-0000-4000-8000-00000000000A', name: 'two' },
        ],
        healthChecks: [{ id: 'check', taskId: 'ABCDEF00-0000-4000-8000-00000000000A' }],
      }),
    ])
    expect(await exportedRecord(database, 'journey', journeyId)).toMatchObject({
      tasks: [{ id: taskId(1) }, { id: 'abcdef00-0000-4000-8000-00000000000a' }],
      healthChecks: [{ taskId: 'abcdef00-0000-4000-8000-00000000000a' }],
    })
  })

  it('stores times in UTC with milliseconds', async () => {
    await importLines(database, [organization, user('user_a', { createdAt: '2026-01-31T23:05:00.123987-05:30' })])
    expect(await exportedRecord(database, 'user', 'user_a')).toMatchObject({ createdAt: '2026-02-01T04:35:00.123Z' })
  })

  it('ignores computed fields', async () => {
    await importLines(database, [
      organization,
      team,
      user('user_a', { firstName: 'A', name: 'Somebody Else' }),
      line('journey', {
        id: journeyId,
        teamId: 'team_a',
        name: 'J',
        progressPercent: 99,
        currentTaskIndex: 7,
        healthCheckCounts: { totalCount: 3 },
        tasks: [{ id: taskId(1), name: 'one', isOverdue: true }],
      }),
    ])
    const exported = await exportLines(database)
    expect(exported.join('')).not.toMatch(/progressPercent|currentTaskIndex|healthCheckCounts|isOverdue|Somebody Else/)
  })
})

describe('people', () => {
  beforeEach(() => importLines(database, [organization, team]))

  it('have the field owners that the file gives, and automation for the rest', async () => {
    const createdAt = '2026-01-31T09:05:00.000Z'
    const since = '2026-02-03T04:05:06.000Z'
    const fieldOwnership = [
      { field: 'USER_PROFILE_FIELD_MANAGER', owner: 'FIELD_OWNER_PINNED', since },
      { field: 'USER_PROFILE_FIELD_LOCALE', owner: 'FIELD_OWNER_DIRECTORY', since },
    ]
    await importLines(database, [user('user_a', { createdAt, fieldOwnership })])
    const exported = await exportedRecord(database, 'user', 'user_a')
    expect(exported['fieldOwnership']).toHaveLength(9)
    expect(exported['fieldOwnership']).toEqual(expect.arrayContaining(fieldOwnership))
    expect(exported['fieldOwnership']).toContainEqual({
      field: 'USER_PROFILE_FIELD_FIRST_NAME',
      owner: 'FIELD_OWNER_AUTOMATION',
      since: createdAt,
    })
  })

  it('have profile values in canonical form', async () => {
    await importLines(database, [
      user('user_a', { primaryPhone: '+1 (415) 555-2671', locale: 'en-gb', timezone: 'europe/paris' }),
    ])
    expect(await exportedRecord(database, 'user', 'user_a')).toMatchObject({
      primaryPhone: '+14155552671',
      locale: 'en-GB',
      timezone: 'Europe/Paris',
    })
  })

  it('are members without a role in the organization unless the file gives one', async () => {
    await importLines(database, [user('user_a')])
    expect(await exportedRecord(database, 'user', 'user_a')).toMatchObject({ role: 'USER_ROLE_ORG_MEMBER' })
  })

  it('lose the team roles that the file no longer names', async () => {
    const other = line('team', { id: 'team_b', organizationId: 'org_a', name: 'B' })
    const role = (teamId: string) => ({ teamId, role: 'TEAM_USER_ROLE_AGENT', expiresAt: '2126-03-01T00:00:00.000Z' })
    await importLines(database, [other, user('user_a', { teamRoles: [role('team_a'), role('team_b')] })])
    await importLines(database, [user('user_a', { teamRoles: [role('team_b')] })])
    expect(await exportedRecord(database, 'user', 'user_a')).toMatchObject({ teamRoles: [role('team_b')] })
  })

  it("add their departments to the organization's options", async () => {
    await importLines(database, [user('user_a', { department: 'Sales' }), user('user_b', { department: 'Sales' })])
    const options = await database.query('SELECT organization_id, name FROM department_options')
    expect(options).toEqual([{ organization_id: 'org_a', name: 'Sales' }])
    await importLines(database, [user('user_a', { department: 'SALES' }), user('user_b', { department: ' Sales ' })])
    expect(await database.query('SELECT organization_id, name FROM department_options')).toEqual(options)
  })

  it('have one email in all their organizations: the last one given', async () => {
    const elsewhere = (email: string) =>
      line('user', { id: 'user_a', organizationId: 'org_b', email, jobTitle: 'Elsewhere' })
    await importLines(database, [
      line('organization', { id: 'org_b', name: 'B' }),
      user('user_a', { jobTitle: 'Here' }),
      elsewhere('New.Address@b.example'),
    ])
    const people = await database.query(
      'SELECT organization_id, email, email_key, job_title FROM memberships ORDER BY 1',
    )
    const email = 'New.Address@b.example'
    expect(people).toEqual([
      { organization_id: 'org_a', email, email_key: 'new.address@b.example', job_title: 'Here' },
      { organization_id: 'org_b', email, email_key: 'new.address@b.example', job_title: 'Elsewhere' },
    ])
  })

  it('follow an import of another organization with their address, which somebody there gives up', async () => {
    const at = (id: string, organizationId: string, email: string) => line('user', { id, organizationId, email })
    await importLines(database, [
      line('organization', { id: 'org_b', name: 'B' }),
      at('user_a', 'org_a', 'one@b.example'),
      at('user_a', 'org_b', 'one@b.example'),
      at('user_z', 'org_b', 'two@b.example'),
    ])
    await importLines(database, [at('user_z', 'org_b', 'one@b.example'), at('user_a', 'org_a', 'two@b.example')])
    const people = await database.query(
      'SELECT organization_id, user_id, email, in_several_organizations FROM memberships ORDER BY 1, 2',
    )
    expect(people.map((row) => Object.values(row))).toEqual([
      ['org_a', 'user_a', 'two@b.example', true],
      ['org_b', 'user_a', 'two@b.example', true],
      ['org_b', 'user_z', 'one@b.example', false],
    ])
  })

  it('may swap emails and phones in one file', async () => {
    const pair = (a: string, b: string) => [
      user('user_a', { email: `${a}@a.example`, primaryPhone: a === 'x' ? '+14155552671' : '+14155552672' }),
      user('user_b', { email: `${b}@a.example`, primaryPhone: b === 'x' ? '+14155552671' : '+14155552672' }),
    ]
    await importLines(database, pair('x', 'y'))
    await importLines(database, pair('y', 'x'))
    expect(await exportedRecord(database, 'user', 'user_a')).toMatchObject({
      email: 'y@a.example',
      primaryPhone: '+14155552672',
    })
  })

  it('keep the time at which their manager was assigned', async () => {
    const managerAssignedAt = '2026-02-02T02:02:02.000Z'
    await importLines(database, [user('user_b'), user('user_a', { managerUserId: 'user_b', managerAssignedAt })])
    await importLines(database, [user('user_a', { managerUserId: 'user_b' })])
    expect(await exportedRecord(database, 'user', 'user_a')).toMatchObject({ managerAssignedAt })
    await importLines(database, [user('user_a')])
    expect(await exportedRecord(database, 'user', 'user_a')).not.toHaveProperty('managerAssignedAt')
  })
})

describe('short handles', () => {
  it('are generated by the server if the file has none, and stay the same', async () => {
    const priority = line('priority', { id: 'priority_a', teamId: 'team_a', priority: 'P1', name: 'P' })
    const resource = line('appResource', { id: 'resource_a', appInstanceId: 'app_a', resourceType: 'role', name: 'R' })
    const app = line('appInstance', { id: 'app_a', teamId: 'team_a', name: 'App' })
    await importLines(database, [organization, team, app, priority, resource])
    const made = await exportedRecord(database, 'priority', 'priority_a')
    expect(made['scopedId']).toMatch(/^pri_[0-9a-z]{16}$/)
    expect((await exportedRecord(database, 'appResource', 'resource_a'))['scopedId']).toMatch(/^ares_[0-9a-z]{16}$/)
    await importLines(database, [priority])
    expect(await exportedRecord(database, 'priority', 'priority_a')).toEqual(made)
  })
})

describe('app instances', () => {
  it('take their resources along to another team', async () => {
    const app = (teamId: string) => line('appInstance', { id: 'app_a', teamId, name: 'App' })
    const teamB = line('team', { id: 'team_b', organizationId: 'org_a', name: 'B' })
    const resource = line('appResource', { id: 'resource_a', appInstanceId: 'app_a', resourceType: 'role', name: 'R' })
    await importLines(database, [organization, team, teamB, app('team_a'), resource])
    await importLines(database, [app('team_b')])
    expect(await database.query('SELECT team_id FROM app_resources')).toEqual([{ team_id: 'team_b' }])
  })

  it('take them along even if short handles change hands on the way', async () => {
    const team = (id: string) => line('team', { id, organizationId: 'org_a', name: id })
    const app = (id: string, teamId: string) => line('appInstance', { id, teamId, name: 'App' })
    const resource = (id: string, appInstanceId: string, scopedId: string) =>
      line('appResource', { id, appInstanceId, resourceType: 'role', name: 'R', scopedId })
    const moving = resource('resource_a', 'app_a', 'one')
    const apps = [app('app_a', 'team_a'), app('app_b', 'team_b')]
    await importLines(database, [organization, team('team_a'), team('team_b'), ...apps, moving])
    await importLines(database, [resource('resource_b', 'app_b', 'one')])
    const { kinds } = await importLines(database, [app('app_a', 'team_b'), resource('resource_b', 'app_b', 'two')])
    expect(kinds.map(({ kind, records, created }) => [kind, records, created])).toEqual([
      ['appInstance', 1, 0],
      ['appResource', 1, 0],
    ])
    expect(await database.query('SELECT id, team_id, scoped_id FROM app_resources ORDER BY id')).toEqual([
      { id: 'resource_a', team_id: 'team_b', scoped_id: 'one' },
      { id: 'resource_b', team_id: 'team_b', scoped_id: 'two' },
    ])
    const back = importLines(database, [app('app_a', 'team_a'), resource('resource_c', 'app_a', 'one')])
    await expect(back).rejects.toThrow(/^line 2: appResource.scopedId: app resource resource_a already has it$/)
    expect(await database.query('SELECT DISTINCT team_id FROM app_resources')).toEqual([{ team_id: 'team_b' }])
  })
})
