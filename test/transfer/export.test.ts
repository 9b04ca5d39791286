import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { exportRecords } from '../../src/transfer/export-records.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { generatedRecords } from './generated-records.js'
import { allRows, demoLines, exportLines, importChunks, importLines } from './transfer-text.js'

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
})
afterEach(() => testDatabase.drop())

describe('an export', () => {
  it('of the demo organization says what its file says', async () => {
    await importLines(database, demoLines)
    const exported = (await exportLines(database)).map((text) => JSON.parse(text))
    expect(exported).toHaveLength(demoLines.length)
    const byKey = new Map(exported.map((record) => [keyOf(record), record]))
    for (const text of demoLines) {
      const given = JSON.parse(text)
      // What belongs to automation is filled in.
      delete given.user?.fieldOwnership
      expect(byKey.get(keyOf(given))).toMatchObject(given)
    }
  })

  it.each([
    ['the demo organization', () => demoLines.map((text) => `${text}\n`)],
    ['2,000 generated records', () => [...generatedRecords(2_000)]],
  ])('of an import of an export is identical byte for byte: %s', async (_name, chunks) => {
    await importChunks(database, chunks())
    const first = await exportLines(database)
    const rows = await allRows(database)
    await importChunks(database, first)
    expect(await exportLines(database)).toEqual(first)
    expect(await allRows(database)).toEqual(rows)
    const fresh = await createTestDatabase()
    try {
      await importChunks(fresh.open(), first)
      expect(await exportLines(fresh.open())).toEqual(first)
    } finally {
      await fresh.drop()
    }
  })

  it('of an empty database is empty', async () => {
    expect(await exportLines(database)).toEqual([])
  })

  it('is a snapshot, whatever is written while it runs', async () => {
    await importLines(database, demoLines)
    const expected = await exportLines(database)
    const writer = testDatabase.open()
    const lines: string[] = []
    for await (const json of exportRecords(database, null)) {
      if (lines.length === 0) {
        await writer.execute(`UPDATE memberships SET first_name = 'Changed'`)
        await writer.execute(`DELETE FROM sla_definitions`)
      }
      lines.push(`${json}\n`)
    }
    expect(lines).toEqual(expected)
    expect(await exportLines(database)).not.toEqual(expected)
  })

  it('that is abandoned releases its connection', async () => {
    const narrow = testDatabase.open({ maxConnections: 1 })
    await importLines(narrow, demoLines)
    for await (const text of exportRecords(narrow, null)) {
      expect(text).toContain('org_acme')
      break
    }
    expect(await narrow.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('contains no secrets', async () => {
    await importLines(database, demoLines)
    await database.execute(
      `INSERT INTO api_keys (id, organization_id, kind, name, secret_hash, permissions, chain_id)
       VALUES ('key_of_mine', 'org_acme', 'pk', 'My key', 'hash_of_mine', '{}', 'key_of_mine')`,
    )
    await database.execute(
      `INSERT INTO user_tokens (token_hash, organization_id, user_id, expires_at)
       VALUES ('token_of_mine', 'org_acme', 'user_ada', now())`,
    )
    const text = (await exportLines(database)).join('')
    for (const secret of ['key_of_mine', 'hash_of_mine', 'token_of_mine']) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})

function keyOf(record: Record<string, { id: string }>): string {
  const [entry] = Object.entries(record)
  return entry === undefined ? '' : `${entry[0]} ${entry[1].id}`
}
