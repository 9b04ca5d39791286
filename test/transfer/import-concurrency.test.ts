import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { untilLockWaits } from '../support/lock-wait.js'
import type { Database } from '../support/sql.js'
import { demoLines, exportedRecord, exportLines, importLines, line } from './transfer-text.js'

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
})
afterEach(() => testDatabase.drop())

const priority = (id: string, name: string) => line('priority', { id, teamId: 'team_it', priority: 'P1', name })

describe('concurrent imports', () => {
  it('of the same records all succeed, with the same result as one of them', async () => {
    const results = await Promise.all(
      [demoLines, [...demoLines].reverse(), demoLines].map((lines) => importLines(database, lines)),
    )
    const created = results.map(({ kinds }) => kinds.reduce((sum, kind) => sum + kind.created, 0))
    expect(created.sort((a, b) => a - b)).toEqual([0, 0, demoLines.length])
    const exported = await exportLines(database)
    await importLines(database, demoLines)
    expect(await exportLines(database)).toEqual(exported)
  })

  it('wait for each other while they write, and the last one wins', async () => {
    await importLines(database, demoLines)
    let second: Promise<unknown> | undefined
    await database.transaction(async (sql) => {
      await sql.query(`SELECT FROM priorities WHERE organization_id = 'org_acme' AND id = 'pri_high' FOR UPDATE`)
      const first = importLines(database, [priority('pri_high', 'first')])
      await untilLockWaits(testDatabase, 1, 'transactionid')
      second = importLines(database, [priority('pri_high', 'second')])
      await untilLockWaits(testDatabase, 1, 'advisory')
      second = Promise.all([first, second])
    })
    await second
    expect(await exportedRecord(database, 'priority', 'pri_high')).toMatchObject({ name: 'second' })
  })
})

describe('an import beside writers', () => {
  it('that loses a deadlock restarts its writes', async () => {
    await importLines(database, demoLines)
    const lines = [
      priority('pri_high', 'imported'),
      line('team', { id: 'team_it', organizationId: 'org_acme', name: 'imported' }),
    ]
    let imported: Promise<unknown> | undefined
    let tries = 0
    await database.transaction(async (sql) => {
      tries++
      // The writer does not look for deadlocks, so that the import is the one to find it and to go.
      await sql.execute(`SET LOCAL deadlock_timeout = '60s'`)
      await sql.execute(`UPDATE priorities SET name = 'written' WHERE organization_id = 'org_acme' AND id = 'pri_high'`)
      imported = importLines(database, lines)
      await untilLockWaits(testDatabase, 1, 'transactionid')
      // The import has the team and waits for the priority.
      await sql.execute(`UPDATE teams SET name = 'written' WHERE organization_id = 'org_acme' AND id = 'team_it'`)
    })
    await imported
    expect(tries).toBe(1)
    expect(await exportedRecord(database, 'priority', 'pri_high')).toMatchObject({ name: 'imported' })
    expect(await exportedRecord(database, 'team', 'team_it')).toMatchObject({ name: 'imported' })
  })

  it('refuses a value that another writer took in the meantime, and imports nothing', async () => {
    await importLines(database, demoLines)
    const lines = [
      priority('pri_new', 'N'),
      line('user', {
        id: 'user_new',
        organizationId: 'org_acme',
        email: 'n@acme.example',
        primaryPhone: '+14155552671',
      }),
    ]
    let imported: Promise<unknown> | undefined
    await database.transaction(async (sql) => {
      await sql.execute(
        `UPDATE memberships SET primary_phone = '+14155552671' WHERE organization_id = 'org_acme' AND user_id = 'user_nils'`,
      )
      imported = expect(importLines(database, lines)).rejects.toThrow(/phone/)
      await untilLockWaits(testDatabase, 1, 'transactionid')
    })
    await imported
    expect(await database.query(`SELECT id FROM priorities WHERE id = 'pri_new'`)).toEqual([])
  })
})
