import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { insertFixture } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

describe('a list that exceeds the statement timeout', () => {
  let testDatabase: TestDatabase
  let service: TestService
  let directory: ScimClient
  let other: pg.Client
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    const impatient = { ...testDatabase, open: () => testDatabase.open({ limits: { statement_timeout: 200 } }) }
    service = await startTestService({ testDatabase: impatient })
    await insertFixture(service.database)
    directory = await connectDirectory(service)
    other = new pg.Client({ connectionString: testDatabase.directUrl })
    await other.connect()
    // In place of a million rows.
    await other.query('BEGIN')
    await other.query('LOCK TABLE memberships, groups IN ACCESS EXCLUSIVE MODE')
  })
  afterAll(async () => {
    await other.query('ROLLBACK')
    await other.end()
    await service.stop()
    await testDatabase.drop()
  })

  const refusal = async (path: string) => {
    const { status, body, headers } = await directory.send('GET', path)
    return [status, body.scimType, headers.get('retry-after')]
  }

  it.each([
    '/Users?filter=title%20co%20%22a%22',
    '/Users?sortBy=title',
    '/Groups?filter=meta.lastModified%20gt%20%222026-01-01T00:00:00Z%22',
  ])('is refused as too large if it may have to read all resources: %s', async (path) => {
    expect(await refusal(path)).toEqual([400, 'tooMany', null])
  })

  it.each(['/Users', '/Users?filter=userName%20eq%20%22a%22', '/Users?filter=id%20eq%20%22a%22&sortBy=title'])(
    'is only a timeout if it cannot be too large: %s',
    async (path) => {
      expect(await refusal(path)).toEqual([504, undefined, null])
    },
  )
})
