import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { exportedRecord, importLines, line } from './transfer-text.js'

/** More than are planned at once. */
const COUNT = 1_200
const LAST = `user_${COUNT - 1}`

let testDatabase: TestDatabase
let database: Database

const phoneOf = (number: number) => `+1415${2_000_000 + number}`
const user = (number: number, fields: object = {}) => {
  const id = `user_${number}`
  return line('user', {
    id,
    organizationId: 'org_a',
    email: `${id}@a.example`,
    primaryPhone: phoneOf(number),
    ...fields,
  })
}
/** All users, of whom the first and the last are as given. */
const people = (first: object, last: object) =>
  Array.from({ length: COUNT }, (_, number) => user(number, number === 0 ? first : number === COUNT - 1 ? last : {}))

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
  const manager = { managerUserId: LAST }
  await importLines(database, [line('organization', { id: 'org_a', name: 'A' }), ...people(manager, {})])
})
afterAll(() => testDatabase.drop())

it('a user can have a manager of a later thousand', async () => {
  expect(await exportedRecord(database, 'user', 'user_0')).toMatchObject({ managerUserId: LAST })
})

it.each([
  [
    'managers in a circle',
    { managerUserId: LAST },
    { managerUserId: 'user_0' },
    [1, COUNT].map((number) => `line ${number}: user.managerUserId: the manager reports to the user, `),
  ],
  [
    'an address twice',
    { email: 'same@a.example' },
    { email: 'Same@a.example' },
    [`line ${COUNT}: user.email: the email address belongs to user user_0: `],
  ],
  [
    'a number twice',
    { primaryPhone: phoneOf(9_000) },
    { primaryPhone: phoneOf(9_000) },
    [`line ${COUNT}: user.primaryPhone: `],
  ],
])('users of different thousands do not get %s', async (_, first, last, faults) => {
  const error = await importLines(database, people(first, last)).then(String, String)
  const lines = error.split('\n').filter((text) => text.includes('line '))
  expect(lines).toHaveLength(faults.length)
  for (const [index, fault] of faults.entries()) expect(lines[index]).toContain(fault)
})

it('users of different thousands can swap addresses, numbers and places', async () => {
  const of = (number: number) => ({ email: `user_${number}@a.example`, primaryPhone: phoneOf(number) })
  await importLines(database, people(of(COUNT - 1), { ...of(0), managerUserId: 'user_0' }))
  expect(await exportedRecord(database, 'user', 'user_0')).toMatchObject({ ...of(COUNT - 1), managerUserId: '' })
  expect(await exportedRecord(database, 'user', LAST)).toMatchObject({ ...of(0), managerUserId: 'user_0' })
})
