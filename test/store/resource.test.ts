import { FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { PrioritySchema } from '../../gen/svc/v2/priority_pb.js'
import { rowText, storedText } from '../../src/store/resource/print.js'
import { type Column, declareResource, type Table } from '../../src/store/resource/resource.js'
import { createFieldRows } from '../../src/store/resource/row.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { messageWith } from '../support/message-with.js'

describe('a resource', () => {
  let testDatabase: TestDatabase
  let client: pg.Client

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  const printed = async (text: Prisma.Sql, from: string): Promise<unknown> => {
    const { rows } = await client.query<{ json: string }>(`SELECT ${text.text} AS json FROM ${from}`)
    return rows.map(({ json }) => JSON.parse(json))
  }

  it('stores a new field of its message and table without further code', async () => {
    const later = messageWith([
      ['id', Type.STRING],
      ['pet_name', Type.STRING],
      ['lucky_number', Type.INT32],
      ['is_tall', Type.BOOL],
      ['met_at', Type.STRING],
    ])
    const table: Table = {
      name: 'things',
      key: ['id'],
      references: {},
      model: 'pet',
      referrers: [],
      columns: {
        id: { type: 'text', isNullable: false, isId: true },
        pet_name: { type: 'text', isNullable: true, isId: false },
        lucky_number: { type: 'int4', isNullable: false, isId: false },
        is_tall: { type: 'bool', isNullable: false, isId: false },
        met_at: { type: 'timestamptz', isNullable: false, isId: false },
      },
    }
    const rows = `(VALUES ('a', 'A "b" c', -7, true, timestamptz '2026-01-31T10:05:00+01'), ('b', NULL, 0, false, '0999-12-31T23:59:59.123Z'))
      AS x (id, pet_name, lucky_number, is_tall, met_at)`
    expect(await printed(rowText(declareResource(later, table, 'x')), rows)).toStrictEqual([
      { id: 'a', petName: 'A "b" c', luckyNumber: -7, isTall: true, metAt: '2026-01-31T09:05:00.000Z' },
      { id: 'b', petName: '', luckyNumber: 0, isTall: false, metAt: '0999-12-31T23:59:59.123Z' },
    ])
  })

  it('is stored without computed fields', async () => {
    const thing = messageWith([
      ['id', Type.STRING],
      ['length', Type.INT32],
    ])
    const id = { type: 'text', isNullable: false, isId: true }
    const table: Table = { name: 'things', columns: { id }, key: ['id'], references: {}, model: 'pet', referrers: [] }
    const resource = declareResource(thing, table, 'x', {
      length: { kind: 'computed', sql: Prisma.sql`length(x.id)` },
    })
    expect(await printed(rowText(resource), `(VALUES ('abc')) x (id)`)).toStrictEqual([{ id: 'abc', length: 3 }])
    expect(await printed(storedText(resource), `(VALUES ('abc')) x (id)`)).toStrictEqual([{ id: 'abc' }])
  })

  it('is refused with both names if a field has no column or cannot be printed from it', () => {
    // @ts-expect-error
    expect(() => declareResource(PrioritySchema, schema.Team, 't')).toThrow(
      'svc.v2.Priority.team_id has no column team_id in teams',
    )
    // @ts-expect-error
    expect(() => declareResource(PrioritySchema, schema.Priority, 'p', { grade: 'priority' })).toThrow(
      'svc.v2.Priority has no field grade',
    )
    const wrong = declareResource(PrioritySchema, schema.Priority, 'p', { isAiSelectable: 'ordinal' })
    expect(() => rowText(wrong)).toThrow('svc.v2.Priority.is_ai_selectable cannot be printed of int8')
    const column: Column = { type: 'bool', isNullable: true, isId: false }
    const optional = { ...schema.Priority, columns: { ...schema.Priority.columns, is_ai_selectable: column } }
    expect(() => rowText(declareResource(PrioritySchema, optional, 'p'))).toThrow(
      'svc.v2.Priority.is_ai_selectable is always there, and its column may be null',
    )
  })

  it('has the row of its model as its type, in which a field of another name is none', () => {
    const { changedFields } = createFieldRows(declareResource(PrioritySchema, schema.Priority, 'p'))
    expect(changedFields({ name: 'Low', scopedId: 'a' }, { name: 'High', scopedId: 'a' })).toEqual(['name'])
    // @ts-expect-error
    expect(changedFields({ title: 'Low' }, { title: 'High' })).toEqual([])
    // @ts-expect-error
    expect(() => declareResource(PrioritySchema, schema.Priority, 'p', { name: 'title' })).toThrow(
      'svc.v2.Priority.name has no column title in priorities',
    )
  })

  it('has ids that need no escaping: the database enforces their format', async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE conname LIKE '%_id_format' AND contype = 'c'`,
    )
    const tables: Table[] = Object.values(schema)
    const withIds = tables.filter(({ columns }) => columns['id']?.type === 'text').map(({ name }) => name)
    const unchecked = withIds.filter((table) => !rows.some(({ name }) => name === table))
    // Keys are not printed.
    expect(unchecked).toEqual(['api_keys'])
  })

  const formats: [column: string, taken: readonly string[], refused: readonly string[]][] = [
    ['id', ['Az09_.~:-', 'a'.repeat(128)], ['', 'ä', 'a b', 'a\n', "a'", 'a"', 'a\\', 'a/', 'a'.repeat(129)]],
    ['user_id', ['Az09_.~:-', 'a'.repeat(128)], ['', 'a b', 'a\n', 'a'.repeat(129)]],
    ['scoped_id', ['Az09_.~:-', 'a'.repeat(64)], ['', 'a b', 'a\n', 'a'.repeat(65)]],
    ['source', ['az09_.-', 'a'.repeat(64)], ['', 'A', 'a~', 'a\n', 'a'.repeat(65)]],
    ['key', ['!az~', 'a'.repeat(255)], ['', ' ', '\u007f', 'ä', 'a\n', 'a'.repeat(256)]],
    ['primary_phone', ['+12', '+123456789012345'], ['', '+1', '12', '+02', '+1a', '+12\n', '+1234567890123456']],
  ]

  it.each(formats)('has the format of the column %s', async (column, taken, refused) => {
    const { rows } = await client.query<{ check: string }>(
      `SELECT DISTINCT pg_get_expr(conbin, conrelid) AS check
         FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
        WHERE conname ~ '_(format|is_e164)$' AND attname = $1`,
      [column],
    )
    expect(rows).toHaveLength(1)
    const fits = async (text: string) =>
      (await client.query(`SELECT ${rows[0]?.check} AS fits FROM (SELECT $1::text AS ${column}) c`, [text])).rows[0]
        .fits
    for (const text of taken) expect([text, await fits(text)]).toEqual([text, true])
    for (const text of refused) expect([text, await fits(text)]).toEqual([text, false])
  })
})
