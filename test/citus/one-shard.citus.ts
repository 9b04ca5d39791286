import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { ofOneServer, sentWithOrdinals } from '../support/cluster-rules.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { sampledText } from '../support/sampled-text.js'
import { statements } from '../support/statements.js'

/** What only the coordinator does: locks on words, and its own tables. */
const ofCoordinator: readonly string[] = ['take_locks', 'admit_address', 'delete_revoke_attempts']
const ofImportAndExport = /^(?:stage_|import_|export_|(?:add|count)_import_rows$)/
const ofCalls = [...statements].filter(([name]) => !ofImportAndExport.test(name) && !ofOneServer.includes(name))

describe('a statement of one organization asks one shard', () => {
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

  /** How many shards each part of the plan asks, and whether the coordinator sends rows to others. */
  const planOf = async (text: string): Promise<{ tasks: number[]; sends: boolean }> => {
    const sampled = await sampledText(client, text)
    const plan = await client.query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON, COSTS OFF) ${sampled}`)
    const written = JSON.stringify(plan.rows[0]?.['QUERY PLAN'])
    const tasks = [...written.matchAll(/"Task Count":(\d+)/g)].map((match) => Number(match[1]))
    const sends = ['"INSERT/SELECT method":"pull to coordinator"', '"Subplans":'].some((each) => written.includes(each))
    return { tasks, sends }
  }

  it.each(ofCalls)('%s', async (name, { text }) => {
    const { tasks, sends } = await planOf(text)
    if (ofCoordinator.includes(name)) expect([tasks, sends]).toEqual([[], false])
    else
      expect([[...new Set(tasks)], sends]).toEqual([
        sentWithOrdinals.includes(name) ? tasks : [1],
        sentWithOrdinals.includes(name),
      ])
  })
})
