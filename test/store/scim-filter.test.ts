import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import type { ScimAttribute, ScimResourceType } from '../../src/store/scim/attribute.js'
import { resourceTypes } from '../../src/store/scim/attributes.js'
import type { Comparison, Filter } from '../../src/store/scim/filter.js'
import { scimGroupRows } from '../../src/store/scim/group-list.js'
import { countStatement } from '../../src/store/scim/list.js'
import { scimUserRows } from '../../src/store/scim/user-list.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { columnsOf } from '../support/row-description.js'
import { unscopedTables } from '../support/tenant-condition.js'

const comparisons: readonly Comparison[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']

/** Every filter with one comparison, as requests can state it, and what it is about. */
function filtersOf(type: ScimResourceType): [name: string, filter: Filter][] {
  const extensions = type.extensions.flatMap(({ attributes }) => attributes)
  return [...type.common, ...type.schema.attributes, ...extensions].flatMap((attribute) => {
    const within = (filter: Filter): Filter => (attribute.multiValued ? { kind: 'some', attribute, filter } : filter)
    const whole: [string, Filter][] =
      attribute.source.kind === 'unsearchable' ? [] : [[`${attribute.name} pr`, { kind: 'present', attribute }]]
    const parts = attribute.type === 'complex' ? attribute.subAttributes : [attribute]
    return [
      ...whole,
      ...parts.flatMap((part) =>
        simpleFilters(part).map(([name, filter]): [string, Filter] => [`${attribute.name}.${name}`, within(filter)]),
      ),
    ]
  })
}

function simpleFilters(attribute: ScimAttribute): [name: string, filter: Filter][] {
  if (attribute.source.kind !== 'value') return []
  const value = attribute.type === 'boolean' ? true : attribute.type === 'dateTime' ? new Date(0) : `O'Neil%"; --`
  const fitting = comparisons.filter(
    (each) => typeof value === 'string' || (each !== 'co' && each !== 'sw' && each !== 'ew'),
  )
  return fitting.map((comparison) => [
    `${attribute.name} ${comparison}`,
    { kind: 'compare', attribute, comparison, value },
  ])
}

const countOf = (type: ScimResourceType, filter: Filter) =>
  type.name === 'User' ? countStatement(scimUserRows, filter) : countStatement(scimGroupRows.withoutMembers, filter)

describe('the statements of filters', () => {
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

  it('are those of every attribute that can be searched', () => {
    expect(cases.length).toBeGreaterThan(300)
  })

  it.each(cases)('$name is understood, stays within the organization and holds no value', async ({ type, filter }) => {
    const { statement, values } = countOf(type, { kind: 'not', filter })
    expect(await columnsOf(client, statement.text)).toEqual({ total: 'int8' })
    expect(unscopedTables(statement.text, tenantTables)).toEqual([])
    expect(statement.text).not.toContain('Neil')
    const parameters = { ...values, organizationId: 'acme' }
    const { rows } = await client.query(statement.text, statement.values(parameters))
    expect(rows).toEqual([{ total: expect.anything() }])
  })
})
