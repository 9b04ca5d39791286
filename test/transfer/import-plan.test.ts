import { afterAll, beforeAll, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { exportLines, importLines, line, planLines } from './transfer-text.js'

const RUNS = 25

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
})
afterAll(() => testDatabase.drop())

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const owner = fc.constantFrom('FIELD_OWNER_AUTOMATION', 'FIELD_OWNER_PINNED', 'FIELD_OWNER_DIRECTORY')
const owned = (field: string) =>
  fc.record({ field: fc.constant(field), owner, since: fc.constant('2026-02-03T04:05:06.000Z') })
const user = fc.record({
  id: fc.constantFrom('user_1', 'user_2', 'user_3'),
  firstName: optional(fc.constantFrom('', 'Mia', 'Tom')),
  department: optional(fc.constantFrom('', 'Sales')),
  managerUserId: optional(fc.constantFrom('', 'user_boss')),
  directoryManaged: optional(fc.boolean()),
  deactivatedAt: optional(fc.constant('2026-03-01T00:00:00.000Z')),
  fieldOwnership: optional(fc.tuple(owned('USER_PROFILE_FIELD_FIRST_NAME'), owned('USER_PROFILE_FIELD_DEPARTMENT'))),
  teamRoles: optional(
    fc.constantFrom(
      [],
      [{ teamId: 'team_1', role: 'TEAM_USER_ROLE_AGENT' }],
      [{ teamId: 'team_1', role: 'TEAM_USER_ROLE_AGENT', expiresAt: '2126-03-01T00:00:00.000Z' }],
    ),
  ),
})
const group = fc.record({
  id: fc.constantFrom('group_1', 'group_2'),
  name: fc.constantFrom('G', 'H'),
  userIds: optional(fc.constantFrom([], ['user_boss'])),
})
const priority = fc.record({
  id: fc.constantFrom('priority_1', 'priority_2'),
  priority: fc.constantFrom('P1', 'P2'),
  name: fc.constantFrom('One', 'Two'),
})
const file = fc.record({
  users: fc.uniqueArray(user, { selector: ({ id }) => id }),
  groups: fc.uniqueArray(group, { selector: ({ id }) => id }),
  priorities: fc.uniqueArray(priority, { selector: ({ id }) => id }),
})
const mode = fc.record({ isMerge: fc.boolean(), isForced: fc.boolean() })

/** Every record by kind, organization or team, and id. */
async function records(): Promise<Map<string, Record<string, unknown>>> {
  const found = new Map<string, Record<string, unknown>>()
  for (const text of await exportLines(database)) {
    for (const [kind, record] of Object.entries<Record<string, unknown>>(JSON.parse(text))) {
      found.set([kind, record['organizationId'], record['id']].join(' '), record)
    }
  }
  return found
}

it('an import does what its plan says', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(file, file, mode, async (first, second, options) => {
      const organizationId = `org_${run++}`
      const teamId = `team_of_${organizationId}`
      const domain = `${organizationId.replace('_', '-')}.example`
      const linesOf = ({ users, groups, priorities }: typeof first) => [
        ...users.map(({ teamRoles, ...fields }) => {
          const roles = teamRoles && { teamRoles: teamRoles.map((each) => ({ ...each, teamId })) }
          return line('user', { ...fields, ...roles, organizationId, email: `${fields.id}@${domain}` })
        }),
        ...groups.map((fields) => line('group', { ...fields, organizationId })),
        ...priorities.map((fields) => line('priority', { ...fields, id: `${fields.id}_${organizationId}`, teamId })),
      ]
      await importLines(database, [
        line('organization', { id: organizationId, name: 'O' }),
        line('team', { id: teamId, organizationId, name: 'T' }),
        line('user', { id: 'user_boss', organizationId, email: `boss@${domain}` }),
        ...linesOf(first),
      ])
      const before = await records()
      const plan = await planLines(database, linesOf(second), options)
      expect(await records()).toEqual(before)
      if (plan.records.some(({ outcome }) => outcome === 'refused')) {
        await expect(importLines(database, linesOf(second), options)).rejects.toThrow('Nothing was imported')
        expect(await records()).toEqual(before)
        return
      }
      expect((await importLines(database, linesOf(second), options)).kinds).toEqual(plan.kinds)
      const after = await records()
      for (const { kind, id, outcome, fields } of plan.records) {
        const key = `${kind} ${kind === 'priority' ? '' : organizationId} ${id}`
        const [old, now] = [before.get(key), after.get(key)]
        const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
        const changed = [...names].filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name])).sort()
        expect(outcome).toBe(old === undefined ? 'created' : changed.length > 0 ? 'updated' : 'unchanged')
        expect(fields).toEqual(old === undefined ? [] : changed)
      }
    }),
    { numRuns: RUNS },
  )
})
