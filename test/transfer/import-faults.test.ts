import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ImportError } from '../../src/transfer/import-error.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { badLines } from './bad-lines.js'
import { badReferences } from './bad-references.js'
import { priority, resource, user } from './record-lines.js'
import { allRows, demoLines, importLines, line } from './transfer-text.js'

const other = [
  line('organization', { id: 'org_other', name: 'Other' }),
  line('team', { id: 'team_other', organizationId: 'org_other', name: 'Other' }),
  line('user', { id: 'user_other', organizationId: 'org_other', email: 'other@other.example' }),
]

let testDatabase: TestDatabase
let database: Database
let before: Record<string, string[]>

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
  await importLines(database, [...demoLines, ...other])
  before = await allRows(database)
})

afterAll(() => testDatabase.drop())

/** The error of an import that must fail. */
async function failure(lines: readonly string[]): Promise<ImportError> {
  const error = await importLines(database, lines).then(
    () => new Error('the import succeeded'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ImportError)
  return error instanceof ImportError ? error : new ImportError(undefined, 'no ImportError')
}

describe('a bad line imports nothing and is reported', () => {
  const good = priority({ id: 'pri_good' })

  it.each([...badLines, ...badReferences])('%s', async (_name, bad, message) => {
    const error = await failure([good, good, bad])
    expect(error.line).toBe(3)
    expect(error.message.slice(0, `line 3: ${message}`.length)).toBe(`line 3: ${message}`)
    expect(await allRows(database)).toEqual(before)
  })
})

describe('of two contradictory lines, the later one is at fault', () => {
  it.each([
    ['emails', user({ id: 'user_y', email: 'same@acme.example' }), user({ email: 'Same@acme.example' })],
    [
      'phones',
      user({ id: 'user_y', email: 'y@acme.example', primaryPhone: '+14155552671' }),
      user({ primaryPhone: '+1 415 555 2671' }),
    ],
    ['scoped ids', priority({ id: 'pri_y', scopedId: 'same' }), priority({ scopedId: 'same' })],
    ['external ids', resource({ id: 'resource_y', externalId: 'same' }), resource({ externalId: 'same' })],
  ])('%s', async (_name, first, second) => {
    expect((await failure([first, second])).line).toBe(2)
    expect(await allRows(database)).toEqual(before)
  })
})

describe('managers', () => {
  it('must not form a cycle that the file closes', async () => {
    const manager = (id: string, managerUserId: string) => user({ id, email: `${id}@acme.example`, managerUserId })
    const error = await failure([manager('user_1', 'user_2'), manager('user_2', 'user_3'), manager('user_3', 'user_1')])
    const fault =
      'user.managerUserId: the manager reports to the user, directly or through others: name a user who does not'
    const lines = [1, 2, 3].map((number) => `line ${number}: ${fault}`)
    expect(error.message).toBe([...lines, 'Nothing was imported.'].join('\n'))
  })

  it('must not form a cycle that the file closes with existing users', async () => {
    const ada = user({ id: 'user_ada', email: 'ada@acme.example', managerUserId: 'user_emre' })
    expect((await failure([ada])).line).toBe(1)
    expect(await allRows(database)).toEqual(before)
  })
})

it("a person's email is taken if any of their organizations has it from another person", async () => {
  const shared = [
    line('user', { id: 'user_shared', organizationId: 'org_acme', email: 'shared@acme.example' }),
    line('user', { id: 'user_shared', organizationId: 'org_other', email: 'OTHER@other.example' }),
  ]
  expect((await failure(shared)).message).toBe(
    'line 2: user.email: the email address belongs to user user_other: choose another one, or update that user',
  )
  expect(await allRows(database)).toEqual(before)
})
