import { create, type DescMessage, type Message } from '@bufbuild/protobuf'
import { FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import pg from 'pg'
import { declareResource, type Table } from '../../src/store/resource/resource.js'
import { rowOf } from '../../src/store/resource/row.js'
import { stagedKind } from '../../src/store/transfer/kind.js'
import { statementsOf } from '../../src/store/transfer/statements.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { messageWith } from '../support/message-with.js'
import { statements } from '../support/statements.js'
import { demoLines, importLines } from './transfer-text.js'

const message = messageWith([
  ['id', Type.STRING],
  ['team_id', Type.STRING],
  ['pet_name', Type.STRING],
  ['lucky_number', Type.INT32],
  ['is_tall', Type.BOOL],
  ['met_at', Type.STRING],
  ['keeper_user_id', Type.STRING],
])
const id = { type: 'text', isNullable: false, isId: true }
const table: Table = {
  name: 'things',
  columns: {
    id,
    organization_id: id,
    team_id: id,
    ordinal: { type: 'int8', isNullable: false, isId: false },
    pet_name: { type: 'text', isNullable: true, isId: false },
    lucky_number: { type: 'int4', isNullable: false, isId: false },
    is_tall: { type: 'bool', isNullable: false, isId: false },
    met_at: { type: 'timestamptz', isNullable: false, isId: false },
    keeper_user_id: { type: 'text', isNullable: true, isId: true },
  },
  key: ['organization_id', 'id'],
  references: { team_id: 'teams', keeper_user_id: 'memberships' },
  model: 'thing',
  referrers: [],
}
const resource = declareResource(message, table, 'x')

let testDatabase: TestDatabase
let client: pg.Client

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  await importLines(testDatabase.open(), demoLines)
  client = new pg.Client({ connectionString: testDatabase.directUrl })
  await client.connect()
  await client.query(`CREATE TABLE things (id text NOT NULL, organization_id text NOT NULL, team_id text NOT NULL,
    pet_name text, lucky_number integer NOT NULL, is_tall boolean NOT NULL, met_at timestamptz NOT NULL,
    keeper_user_id text, ordinal bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (organization_id, id))`)
})
afterAll(async () => {
  await client.end()
  await testDatabase.drop()
})

it('a new field is imported and exported without further code, as is the check of a new reference', async () => {
  const {
    stage,
    check,
    findExisting: findStanding,
    lock,
    upsert,
    export: print,
  } = statementsOf(stagedKind('priority', { resource, owner: 'teamId' }))
  const given = [
    thing({
      id: 'a',
      teamId: 'team_it',
      petName: 'A "b"',
      luckyNumber: -7,
      isTall: true,
      metAt: '2026-01-31T09:05:00.000Z',
    }),
    thing({ id: 'b', teamId: 'team_it', metAt: '2026-01-31T09:05:00.000Z', keeperUserId: 'user_ada' }),
    thing({ id: 'c', teamId: 'team_it', metAt: '2026-01-31T09:05:00.000Z', keeperUserId: 'user_nobody' }),
  ]
  const import_ = async (records: readonly Message[]) => {
    await client.query('BEGIN')
    await client.query(statements.get('stage_import_rows')?.text ?? '')
    for (const [index, record] of records.entries()) {
      const values = [String(index), index + 1, JSON.stringify(rowOf(resource.fields, record))]
      await client.query(`INSERT INTO import_rows VALUES ('priority', $1, $2, $2, '', $3)`, values)
    }
    await client.query(stage.text)
    const { rows: faults } = await client.query(check.text)
    if (faults.length === 0) {
      for (const row of (await client.query(findStanding.text)).rows) await client.query(lock.text, lock.values(row))
      await client.query(upsert.text)
    }
    await client.query('COMMIT')
    return faults
  }
  const fault = 'there is no user user_nobody in the organization'
  expect(await import_(given)).toEqual([{ line: 3, id: 'c', organizationId: 'org_acme', field: 'keeperUserId', fault }])
  expect(await import_(given.slice(0, 2))).toEqual([])
  const { rows } = await client.query<{ json: string }>(print.text, [null])
  const none = { petName: '', luckyNumber: 0, isTall: false, keeperUserId: '', metAt: '2026-01-31T09:05:00.000Z' }
  expect(rows.map(({ json }) => JSON.parse(json).priority)).toEqual([
    { ...none, id: 'a', teamId: 'team_it', petName: 'A "b"', luckyNumber: -7, isTall: true },
    { ...none, id: 'b', teamId: 'team_it', keeperUserId: 'user_ada' },
  ])
})

function thing(fields: Readonly<Record<string, unknown>>): Message {
  return create<DescMessage>(message, fields)
}
