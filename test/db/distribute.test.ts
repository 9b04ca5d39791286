import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { schema } from '../../gen/prisma/schema.js'
import { distribute, requireWholeDistribution } from '../../src/db/distribute.js'
import { type DistributionStep, planDistribution } from '../../src/db/distribution-plan.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

const tables = Object.values(schema).map(({ name }) => name)
const ofTenants = Object.values(schema)
  .filter(({ columns }) => 'organization_id' in columns)
  .map(({ name }) => name)

describe('the distribution of a database', () => {
  let testDatabase: TestDatabase
  let client: pg.Client

  beforeEach(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
  })
  afterEach(async () => {
    await client.end()
    await testDatabase.drop()
  })

  const plan = () => planDistribution(client, 8)
  const textOf = (steps: readonly DistributionStep[]) => steps.flatMap(({ statements }) => statements).join('\n')
  const foreignKeys = async () => {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
        WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1`,
    )
    return rows
  }
  const run = async (statements: readonly string[]) => {
    for (const text of statements) await client.query(text)
  }

  it('distributes the tables of organizations together, replicates the others, and keeps one on the coordinator', async () => {
    const text = textOf((await plan()).steps)
    const distributed = [...text.matchAll(/create_distributed_table\('(\w+)', '(\w+)', (.*)\),?$/gm)]
    expect(distributed.map(([, table]) => table)).toEqual(['organizations', ...ofTenants])
    expect(distributed.map(([, , ...how]) => how.join())).toEqual([
      'id,shard_count => 8',
      ...ofTenants.map(() => `organization_id,colocate_with => 'organizations'`),
    ])
    const whole = [...text.matchAll(/create_reference_table\('(\w+)'\)/g)].map(([, table]) => table)
    expect(whole).toEqual(['signing_keys'])
    expect(tables.filter((table) => !text.includes(`'${table}'`))).toEqual(['revoke_attempts'])
    expect(text.indexOf(`create_reference_table('signing_keys')`)).toBeLessThan(
      text.indexOf('create_distributed_table'),
    )
  })

  it('removes every foreign key first, and restores each unchanged', async () => {
    const before = await foreignKeys()
    const { steps } = await plan()
    const [, drop, ...others] = steps
    await run(drop?.statements ?? [])
    expect(await foreignKeys()).toEqual([])
    for (const { statements } of others) await run(statements.filter((text) => /^(?:ALTER|DELETE|DROP) /.test(text)))
    expect(await foreignKeys()).toEqual(before)
    expect(before.length).toBeGreaterThan(40)
  })

  it('loses no foreign key, wherever it was interrupted', async () => {
    const before = await foreignKeys()
    await run((await plan()).steps[1]?.statements ?? [])
    const additions = additionsIn((await plan()).steps)
    for (const [index, { statements }] of additions.entries()) {
      await run(statements)
      if (index % 10 !== 0) continue
      const again = additionsIn((await plan()).steps)
      expect(again.map(({ title }) => title).sort()).toEqual(additions.map(({ title }) => title).sort())
    }
    expect(await foreignKeys()).toEqual(before)
  })

  it('reports everything it requires, without having changed anything', async () => {
    const service = testDatabase.open()
    await service.query('SELECT 1')
    const before = await foreignKeys()
    const { needs } = await plan()
    expect(needs).toEqual([
      expect.stringContaining('the extension citus is not in this database'),
      expect.stringMatching(/^the service has sessions on this database \(\d+\): stop all of its processes$/),
    ])
    const steps: string[] = []
    const distributed = distribute(testDatabase.directUrl, 8, (step) => steps.push(step))
    await expect(distributed).rejects.toThrow('the extension citus is not in this database')
    expect(steps).toEqual([])
    expect(await foreignKeys()).toEqual(before)
  })

  it('keeps the service from starting until it has finished', async () => {
    const { directUrl: connectionString } = testDatabase
    await requireWholeDistribution(connectionString)
    const [, drop] = (await plan()).steps
    await run(drop?.statements ?? [])
    await expect(requireWholeDistribution(connectionString)).rejects.toThrow(
      'is not finished: run "npx svc distribute" again',
    )
  })
})

function additionsIn(steps: readonly DistributionStep[]): DistributionStep[] {
  return steps.filter(({ title }) => title.startsWith('add the foreign key'))
}
