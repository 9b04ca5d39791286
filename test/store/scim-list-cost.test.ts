import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import type { Tables } from '../../src/db/tables.js'
import { listRequestFromQuery } from '../../src/scim/list-request.js'
import { userType } from '../../src/scim/resource-types.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import { readPage } from '../../src/store/search-page.js'
import { fixture } from '../support/fixture.js'
import { createPlannedDatabase, planOf, rowsRead, type SentStatement } from '../support/query-plan.js'
import type { Database } from '../support/sql.js'

const MEMBERS = 12_000
const members = `INSERT INTO memberships (organization_id, user_id, email, manager_user_id, manager_assigned_at, directory_external_id, directory_user_name, directory_attributes)
       SELECT '${fixture.acme}', 'bulk-' || n, n || '@example.com', CASE n WHEN 7 THEN 'bulk-6' END, CASE n WHEN 7 THEN now() END, 'ext-' || n,
              CASE WHEN n % 2 = 0 THEN 'Upn-' || n END,
              jsonb_build_object('emails', jsonb_build_array(jsonb_build_object('type', 'home', 'value', n || '@Home.example')))
         FROM generate_series(1, ${MEMBERS}) n`

describe('SCIM lists', () => {
  let database: Database
  let client: pg.Client
  let drop: () => Promise<void>

  beforeAll(async () => {
    ;({ database, client, drop } = await createPlannedDatabase([members, 'ANALYZE']))
  })
  afterAll(() => drop())

  it.each([
    'id eq "bulk-6000"',
    'externalId eq "ext-6000"',
    'userName eq "upn-6000"',
    'userName eq "5999@example.com"',
    'emails[type eq "work"].value eq "nobody@example.com"',
    'emails.value eq "6000@home.example"',
    'emails[type eq "home"].value eq "6000@HOME.example"',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "bulk-6"',
    'externalId eq "ext-6000" and active eq true',
  ])('find by %s without reading other rows', async (filter) => {
    const sent: SentStatement[] = []
    const watched: Tables = {
      ...database,
      run: (statement, values) => {
        sent.push({ text: statement.text, values: statement.values(values), name: undefined })
        return database.run(statement, values)
      },
    }
    const query = new URLSearchParams({ filter })
    const { range, ...selected } = listRequestFromQuery(query, userType)
    const { total } = await readPage(watched, searchedMembers, { organizationId: fixture.acme, ...selected }, range)
    expect(total).toBe(filter.includes('nobody') ? 0 : 1)
    expect(sent.length).toBe(1)
    for (const statement of sent) expect(rowsRead(await planOf(client, statement))).toBeLessThan(100)
  })
})
