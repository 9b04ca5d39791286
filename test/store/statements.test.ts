import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../../src/db/statement.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { columnsOf } from '../support/row-description.js'
import { statements, statementsByName } from '../support/statements.js'
import { unscopedTables } from '../support/tenant-condition.js'

/**
 * Import and export are of all organizations at once: owners are found by id, ids of other organizations are refused, and
 * all of it is given. How far feeds are is read of every organization whose events somebody waits for.
 */
const ofManyOrganizations = /^(?:stage_|import_|export_|read_feed_states$)/

describe('the statements of the stores', () => {
  let testDatabase: TestDatabase
  let client: pg.Client
  let tenantTables: string[]

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'organization_id'`,
    )
    tenantTables = [...rows.map(({ name }) => name), 'organizations']
    // The staging tables of imports, for the statements that name them.
    await client.query('BEGIN')
    for (const { name, text } of statements.values()) if (name.startsWith('stage_')) await client.query(text)
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  it.each([...statements])('%s returns the columns and types that it declares', async (_, { text, columns }) => {
    expect(await columnsOf(client, text)).toEqual(columns)
  })

  it.each([...statements].filter(([name]) => !ofManyOrganizations.test(name)))(
    '%s stays within one organization',
    (_, { text }) => {
      expect(unscopedTables(text, tenantTables)).toEqual([])
    },
  )

  it('are all examined', () => {
    const folder = join(import.meta.dirname, '..', '..', 'src', 'store')
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
    const sources = paths.map((file) => readFileSync(join(folder, file), 'utf8'))
    const names = sources.flatMap((source) =>
      [...source.matchAll(/create(?:Statement|RowLock|Pages|Count)(?:<[^(]*)?\((?:\{\s*name: |\s*)'(\w+)'/g)].map(
        (match) => match[1],
      ),
    )
    expect(names.length).toBeGreaterThan(0)
    // The strength of a lock is added to its name, and the size of a page whose plan is kept.
    const isExamined = (name = '') =>
      statements.has(name) ||
      [...statements.keys()].some((each) => each.startsWith(`${name}_for_`)) ||
      statements.has(`${name}_100`)
    expect(names.filter((name) => !isExamined(name))).toEqual([])
  })

  it('have one text per name', () => {
    const named = (value: string) =>
      createStatement<object, object>({
        name: 'one',
        columns: {},
        text: () => Prisma.raw(`SELECT ${value}`),
      })
    expect(statementsByName([named('1'), named('1')]).size).toBe(1)
    expect(() => statementsByName([named('1'), named('2')])).toThrow('the statement one has two texts')
  })

  it('contain no values in their texts', () => {
    const withValue = () =>
      createStatement<object, object>({
        name: 'one',
        columns: {},
        text: () => Prisma.sql`SELECT ${'a value'}`,
      })
    expect(withValue).toThrow('the text of one contains a value')
  })
})

describe('the condition on the organization', () => {
  const tables = ['organizations', 'teams', 'groups']
  it.each<[text: string, unscoped: string[]]>([
    ['SELECT id FROM teams WHERE organization_id = $1', []],
    ['SELECT id FROM teams WHERE id = $1', ['teams']],
    ['SELECT id FROM teams t WHERE t.organization_id = $1', []],
    ['SELECT id FROM teams AS t WHERE organization_id = $1', ['teams']],
    [
      'SELECT id FROM teams t JOIN groups g ON g.organization_id = t.organization_id WHERE t.organization_id = $1',
      ['groups'],
    ],
    ['SELECT id FROM teams t JOIN groups g ON g.organization_id = $1 WHERE t.organization_id = $1', []],
    ['SELECT id FROM teams t JOIN groups g ON g.organization_id = $2 WHERE t.organization_id = $1', ['teams']],
    ['SELECT id FROM teams t WHERE t.organization_id = ANY ($1)', ['teams']],
    ['SELECT id FROM teams t JOIN groups g ON g.id = t.id WHERE t.organization_id = $1', ['groups']],
    ['SELECT id FROM teams t, groups g WHERE t.organization_id = $1', ['groups']],
    ['SELECT (SELECT id FROM teams WHERE id = $2) FROM teams WHERE organization_id = $1', ['teams']],
    ['UPDATE teams SET name = $2 WHERE id = $1', ['teams']],
    ['UPDATE teams SET name = $2 FROM groups g WHERE teams.organization_id = $1', ['groups']],
    ['DELETE FROM groups WHERE organization_id = $1', []],
    ['DELETE FROM groups USING teams t WHERE groups.organization_id = $1', ['teams']],
    ['INSERT INTO teams (id, organization_id) VALUES ($1, $2)', []],
    ['INSERT INTO teams (id) VALUES ($1)', ['teams']],
    ['SELECT id FROM organizations o WHERE o.id = $1', []],
    ['SELECT id FROM organizations o WHERE o.name = $1', ['organizations']],
    ['SELECT id FROM organizations o JOIN teams t ON t.organization_id = o.id WHERE o.id = $1', ['teams']],
    ['SELECT id FROM teams_of_nobody', []],
  ])('is recognized in %s', (text, unscoped) => {
    expect(unscopedTables(text, tables)).toEqual(unscoped)
  })
})
