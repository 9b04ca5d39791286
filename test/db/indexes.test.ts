import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

/** How many indexes writes of a table can bear. */
const MOST = new Map([
  ['memberships', 14],
  ['app_resources', 7],
  ['audit_events', 5],
])
const USUAL_MOST = 6

const HISTORY = '_prisma_migrations'
const REASONS = /^(?:key|unique|foreign key|order|look-up)\b/

/** An index as its model declares it: a line of its own, in a comment if Prisma cannot. */
const DECLARED =
  /^ {2}(?:(?:@@(?:id|unique|index)\(|\w+ .*@id\b).*? \/\/|\/\/ (?<name>\w+_(?:idx|unique)):) (?<reason>.*)$/

describe('the indexes of a table', () => {
  let database: TestDatabase
  const indexes = new Map<string, string[]>()
  const models = new Map<string, { readonly name: string | undefined; readonly reason: string }[]>()

  beforeAll(async () => {
    database = await createTestDatabase()
    const rows = await database.open().query<{ table: string; names: string[] }>(
      `SELECT tablename::text AS table, array_agg(indexname::text) AS names FROM pg_indexes
          WHERE schemaname = 'public' AND tablename <> $1 GROUP BY tablename`,
      [HISTORY],
    )
    for (const { table, names } of rows) indexes.set(table, names)
    const schema = await readFile('prisma/schema.prisma', 'utf8')
    for (const [, body = ''] of schema.matchAll(/^model \w+ \{\n(.*?)^\}/gms)) {
      const declared = body.split('\n').flatMap((line) => {
        const groups = DECLARED.exec(line)?.groups
        return groups === undefined ? [] : [{ name: groups['name'], reason: groups['reason'] ?? '' }]
      })
      models.set(/@@map\("(\w+)"\)/.exec(body)?.[1] ?? '', declared)
    }
  })
  afterAll(() => database.drop())

  it('are no more than its writes can bear', () => {
    expect(indexes.size).toBeGreaterThan(30)
    const many = [...indexes].filter(([table, names]) => names.length > (MOST.get(table) ?? USUAL_MOST))
    expect(many).toEqual([])
  })

  it('are all declared by its model, each with one of the reasons for which an index is kept', () => {
    expect([...models.keys()].sort()).toEqual([...indexes.keys()].sort())
    for (const [table, declared] of models) {
      const names = indexes.get(table) ?? []
      expect([table, declared.length]).toEqual([table, names.length])
      expect(names).toEqual(expect.arrayContaining(declared.flatMap(({ name }) => name ?? [])))
      for (const { reason } of declared) expect([table, reason]).toEqual([table, expect.stringMatching(REASONS)])
    }
  })
})
