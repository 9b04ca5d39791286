import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { priority } from './record-lines.js'
import { allRows, demoLines, exportedRecord, exportLines, importLines, line } from './transfer-text.js'

/** The kinds of records that name an owner in their organization. */
const ownedKinds = [
  'accessPolicy',
  'approvalProcedure',
  'appInstance',
  'appResource',
  'priority',
  'journey',
  'entityType',
  'entityIngestionConfig',
  'entityFieldMapping',
  'slaDefinition',
]

const inOrganizationOf = (organizationId: string, text: string) =>
  JSON.stringify({ ...JSON.parse(text), organizationId })

/** The records of the demo organization in another one, with the same ids. */
const inOrganization = (id: string) =>
  demoLines.map((text) => {
    const moved = text.replaceAll('"org_acme"', `"${id}"`)
    return ownedKinds.some((kind) => text.startsWith(`{"${kind}"`)) ? inOrganizationOf(id, moved) : moved
  })

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
  await importLines(database, demoLines)
})
afterEach(() => testDatabase.drop())

describe('two organizations with the same addresses and other ids', () => {
  it('are imported, exported and imported again', async () => {
    await importLines(database, [
      line('organization', { id: 'org_other', name: 'Other' }),
      ...demoLines
        .filter((text) => text.startsWith('{"user"'))
        .map((text) => {
          const { id, email } = JSON.parse(text).user
          return line('user', { id: `other_${id}`, organizationId: 'org_other', email: email.toUpperCase() })
        }),
    ])
    const both = await exportLines(database)
    await importLines(database, both)
    expect(await exportLines(database)).toEqual(both)
  })
})

describe('two organizations with the same ids everywhere', () => {
  const twin = inOrganization('org_twin')

  it('are imported, exported and imported again, without affecting each other but for sharing their people', async () => {
    const ofAcme = async () => {
      const rows = (await wholeRows()).filter((row) => row['organization_id'] === 'org_acme')
      return rows.map((row) => ({ ...row, in_several_organizations: undefined }))
    }
    const before = await ofAcme()
    await importLines(database, twin)
    const both = await exportLines(database)
    const copy = await createTestDatabase()
    try {
      await importLines(copy.open(), both)
      expect(await exportLines(copy.open())).toEqual(both)
    } finally {
      await copy.drop()
    }
    await importLines(database, twin)
    expect(await exportLines(database)).toEqual(both)
    expect(await ofAcme()).toEqual(before)
    const alone = await database.query('SELECT FROM memberships WHERE NOT in_several_organizations')
    expect(alone).toEqual([])
  })

  it('name the organization in lines whose owner does not imply it', async () => {
    await importLines(database, twin)
    const lines = (await exportLines(database)).map((text): Record<string, unknown> => JSON.parse(text))
    const owned = lines.filter((each) => ownedKinds.some((kind) => kind in each))
    expect(owned.length).toBeGreaterThan(20)
    expect(lines.filter((each) => 'organizationId' in each)).toEqual(owned)
  })

  it('refuse a record whose owner is ambiguous between them', async () => {
    await importLines(database, twin)
    const error = 'line 1: priority.teamId: several organizations have a team team_it'
    await expect(importLines(database, [priority({ id: 'pri_of_two' })])).rejects.toThrow(error)
    const full = inOrganizationOf('org_acme', priority({ id: 'pri_of_two' }))
    await expect(importLines(database, [priority({ id: 'pri_of_two' }), full])).rejects.toThrow(error)
    await importLines(database, [full])
    expect(await exportedRecord(database, 'priority', 'pri_of_two')).toMatchObject({ teamId: 'team_it' })
  })
})

it('an owner is looked up in the organization that the line names', async () => {
  const nowhere = inOrganizationOf('org_nowhere', priority({ id: 'pri_nowhere' }))
  await expect(importLines(database, [nowhere])).rejects.toThrow('line 1: priority.teamId: there is no team team_it')
})

describe('of several lines with one id, the last one counts', () => {
  it.each([
    ['in each organization', { teamId: 'team_other' }, undefined, ['First', 'Last']],
    ['of an organization, whichever team they name', { teamId: 'team_people' }, undefined, ['Last']],
    ['of an organization, whether they name it or not', {}, 'org_acme', ['Last']],
  ])('%s', async (_, changes, organizationId, expected) => {
    await importLines(database, [
      line('organization', { id: 'org_other', name: 'Other' }),
      line('team', { id: 'team_other', organizationId: 'org_other', name: 'Other' }),
    ])
    const last = priority({ id: 'pri_one', name: 'Last', ...changes })
    const lines = [
      priority({ id: 'pri_one', name: 'First' }),
      priority({ id: 'pri_two', name: 'Two' }),
      organizationId === undefined ? last : inOrganizationOf(organizationId, last),
    ]
    const records = expected.length + 1
    expect((await importLines(database, lines)).kinds).toEqual([
      { kind: 'priority', records, created: records, updated: 0 },
    ])
    const names = (await exportLines(database)).slice(-100).flatMap((text) => JSON.parse(text).priority?.name ?? [])
    // In the place of the first line of each.
    const [first = '', ...others] = expected
    expect(names.slice(-records)).toEqual([first, 'Two', ...others])
  })
})

/** Every row of every table that an import writes. */
async function wholeRows(): Promise<Record<string, unknown>[]> {
  return Object.values(await allRows(database)).flatMap((rows) => rows.map((row) => JSON.parse(row)))
}
