import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { conditionOf } from '../../src/scim/condition.js'
import { comparisons, type Filter } from '../../src/scim/filter.js'
import { resourceTypes } from '../../src/scim/resource-types.js'
import { type Attribute, isSearchable, type ResourceType } from '../../src/scim/schema.js'
import { searchedGroups } from '../../src/store/directory/group.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import { searchStatement } from '../../src/store/search-page.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { columnsOf } from '../support/row-description.js'
import { unscopedTables } from '../support/tenant-condition.js'

/** Every filter with one comparison, as requests can state it, and what it is about. */
function filtersOf(type: ResourceType): [name: string, filter: Filter][] {
  const extensions = type.extensions.flatMap(({ attributes }) => attributes)
  return [...type.attributes, ...extensions].flatMap((attribute) => {
    const within = (filter: Filter): Filter => (attribute.multiValued ? { kind: 'some', attribute, filter } : filter)
    const whole: [string, Filter][] = isSearchable(attribute)
      ? [[`${attribute.name} pr`, { kind: 'present', attribute }]]
      : []
    const parts = attribute.type === 'complex' ? attribute.subAttributes : [attribute]
    return [
      ...whole,
      ...parts.flatMap((part) =>
        simpleFilters(part).map(([name, filter]): [string, Filter] => [`${attribute.name}.${name}`, within(filter)]),
      ),
    ]
  })
}

function simpleFilters(attribute: Attribute): [name: string, filter: Filter][] {
  if (attribute.search === undefined) return []
  const value = attribute.type === 'boolean' ? true : attribute.type === 'dateTime' ? new Date(0) : `O'Neil%"; --`
  const fitting = (Object.keys(comparisons) as (keyof typeof comparisons)[]).filter(
    (each) => typeof value === 'string' || (each !== 'co' && each !== 'sw' && each !== 'ew'),
  )
  return fitting.map((comparison) => [
    `${attribute.name} ${comparison}`,
    { kind: 'compare', attribute, comparison, value },
  ])
}

const statementOf = (type: ResourceType, filter: Filter) => {
  const search = { condition: conditionOf(filter) }
  return type.name === 'User'
    ? searchStatement(searchedMembers, search)
    : searchStatement(searchedGroups(false), search)
}

describe('the statements of SCIM filters', () => {
  let testDatabase: TestDatabase
  let client: pg.Client
  let tenantTables: string[]

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.connectionString })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'organization_id'`,
    )
    tenantTables = rows.map(({ name }) => name)
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  const cases = resourceTypes.flatMap((type) =>
    filtersOf(type).map(([name, filter]) => ({ name: `${type.name}: ${name}`, type, filter })),
  )

  it('cover every searchable attribute', () => {
    expect(cases.length).toBeGreaterThan(300)
  })

  it.each(cases)('$name is valid, stays within the organization and contains no value', async ({ type, filter }) => {
    const { text, values, columns } = statementOf(type, { kind: 'not', filter })
    expect(await columnsOf(client, text)).toEqual(columns)
    expect(unscopedTables(text, tenantTables)).toEqual([])
    expect(text).not.toContain('Neil')
    const { rows } = await client.query(text, values({ organizationId: 'acme' }))
    expect(rows).toEqual([expect.objectContaining({ place: null, total: 0 })])
  })
})
