import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { conditionOf } from '../../src/scim/condition.js'
import { parseFilter } from '../../src/scim/filter.js'
import { groupType, userType } from '../../src/scim/resource-types.js'
import { searchedGroups } from '../../src/store/directory/group.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import type { Condition } from '../../src/store/search.js'
import { type SearchRows, searchStatement } from '../../src/store/search-page.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { planOf, rowsRead, scannedRows } from '../support/query-plan.js'

const MEMBERS = 20_000
/** What a page of a few resources may read, with whoever is related to them. */
const FEW_ROWS = 400
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Members of whom every second one has a userName beside the address, and groups of two members each. */
const rows: readonly string[] = [
  `INSERT INTO organizations (id, name) VALUES ('org', 'Org'), ('other', 'Other')`,
  `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name, manager_user_id, manager_assigned_at,
          deactivated_at, directory_external_id, directory_user_name, directory_attributes)
   SELECT 'org', 'u' || n, n || '@a.example', 'Given ' || n, 'Family ' || n / 4, CASE WHEN n > 4 THEN 'u' || n / 4 END,
          CASE WHEN n > 4 THEN now() END, CASE WHEN n % 1000 = 0 THEN now() END, 'e' || n,
          CASE WHEN n % 2 = 0 THEN 'login' || n END,
          jsonb_build_object('displayName', 'Person ' || n, 'emails', jsonb_build_array(
            jsonb_build_object('type', 'work', 'value', n || '@a.example'),
            jsonb_build_object('type', 'home', 'value', 'Home' || n || '@b.example')))
     FROM generate_series(1, ${MEMBERS}) n`,
  `INSERT INTO groups (organization_id, id, name, directory_external_id)
   SELECT 'org', 'g' || n, 'Group ' || n, 'eg' || n FROM generate_series(1, ${MEMBERS / 2}) n`,
  `INSERT INTO group_members (organization_id, group_id, user_id, position)
   SELECT 'org', 'g' || (n + 1) / 2, 'u' || n, n FROM generate_series(1, ${MEMBERS}) n`,
]

describe('a page and its total read only the rows that match the filter', () => {
  let testDatabase: TestDatabase
  let client: pg.Client

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.connectionString })
    await client.connect()
    for (const row of rows) await client.query(row)
    await client.query('ANALYZE')
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  const rowsReadFor = async <Row>(searched: SearchRows<Row>, condition: Condition) => {
    const { text, values } = searchStatement(searched, { condition })
    return rowsRead(await planOf(client, { text, values: values({ organizationId: 'org' }), name: undefined }))
  }

  const userFilters = [
    'id eq "u15000"',
    'externalId eq "e15000"',
    'userName eq "LOGIN15000"',
    'userName eq "15001@a.example"',
    'userName eq "nobody"',
    'emails eq "15000@a.example"',
    'emails.value eq "home15000@b.example"',
    'emails.value eq "nobody"',
    'emails[type eq "work"].value eq "15000@a.example"',
    'emails[type eq "home"].value eq "home15000@b.example"',
    `${ENTERPRISE}:manager eq "u3750"`,
    'groups eq "g7500"',
    'groups.value eq "g7500"',
    'userName eq "login15000" or externalId eq "e15001"',
    'userName eq "login15000" and active eq true',
    'externalId eq "e15000" and active eq true',
  ]
  const groupFilters = [
    'id eq "g5000"',
    'externalId eq "eg5000"',
    'members eq "u10000"',
    'members.value eq "u10000"',
    'members[value eq "u10000"]',
    'id eq "g5000" and members eq "u10000"',
    'displayName eq "Group 5000" and members.value eq "u10000"',
  ]
  /** What no index serves. */
  const readAll = [
    'userName sw "login1500"',
    'displayName eq "person 15000"',
    'name.familyName eq "FAMILY 3750"',
    'active eq false',
    'emails eq "15000@a.example" or displayName eq "Person 3"',
  ]

  it.each(userFilters)('users with %s', async (text) => {
    const read = await rowsReadFor(searchedMembers, conditionOf(parseFilter(text, userType)))
    expect(read).toBeLessThan(FEW_ROWS)
  })

  it.each(groupFilters)('groups with %s', async (text) => {
    const read = await rowsReadFor(searchedGroups(false), conditionOf(parseFilter(text, groupType)))
    expect(read).toBeLessThan(FEW_ROWS)
  })

  it.each(readAll)('or each row once: users with %s', async (text) => {
    const condition = conditionOf(parseFilter(text, userType))
    const statement = searchStatement(searchedMembers, { condition })
    const sent = { ...statement, values: statement.values({ organizationId: 'org' }), name: undefined }
    expect(scannedRows(await planOf(client, sent)).get('memberships')).toBeLessThan(MEMBERS + FEW_ROWS)
  })
})
