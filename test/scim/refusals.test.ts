import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { createRefusalRecorder } from '../../src/domain/directory/directory-status.js'
import { withoutCredentials } from '../../src/http/credential-redaction.js'
import { insertDirectoryRefusal, KEPT_REFUSALS } from '../../src/store/directory/refusal.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'

const { acme: organizationId, globex } = fixture
const nobody = { userName: '', externalId: '', attribute: '' }
const refusal = {
  method: 'GET',
  path: '/Users',
  status: 400,
  scimType: 'invalidPath',
  detail: 'no',
  requestId: 'r1',
  ...nobody,
}

describe("the refusals of a directory's requests", () => {
  const { newId } = createTestRuntime()
  let testDatabase: TestDatabase
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    await insertFixture(testDatabase.open())
  })
  afterAll(() => testDatabase.drop())

  it('never wait for concurrent deletions of others', async () => {
    const database = testDatabase.open({ limits: { statement_timeout: 2_000 } })
    const insert = () => insertDirectoryRefusal(database, { ...refusal, organizationId, apiKeyId: 'k', id: newId() })
    for (let index = 0; index < KEPT_REFUSALS + 2; index++) await insert()
    const other = new pg.Client({ connectionString: testDatabase.directUrl })
    await other.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM directory_refusals WHERE organization_id = $1 FOR UPDATE', [organizationId])
    try {
      await insert()
    } finally {
      await other.query('ROLLBACK')
      await other.end()
    }
    await insert()
    const [row] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM directory_refusals')
    expect(row?.count).toBe(KEPT_REFUSALS)
  })

  it('are written one after another, the last hundred of a flood, separately by organization', async () => {
    const written: { readonly organizationId: string; readonly requestId: string }[] = []
    const ends: (() => void)[] = []
    const run = (_: unknown, values: never) => {
      written.push(values)
      return new Promise<never[]>((resolve) => ends.push(() => resolve([])))
    }
    const log = { warn: () => undefined }
    const record = createRefusalRecorder({
      database: { run: run as never },
      runtime: { newId },
      redact: (text) => text,
      log,
    })
    const key = { keyId: 'k', name: 'Key' }
    for (let index = 0; index < 1_000; index++)
      record({ ...key, organizationId }, { ...refusal, requestId: `r${index}` })
    record({ ...key, organizationId: globex }, refusal)
    expect(written.map((each) => each.organizationId)).toEqual([organizationId, globex])
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end()
      await wait(0)
    }
    const ofAcme = written.filter((each) => each.organizationId === organizationId).map(({ requestId }) => requestId)
    expect(ofAcme).toEqual(['r0', ...Array.from({ length: KEPT_REFUSALS }, (_, index) => `r${900 + index}`)])
  })

  it('contain no credential from a request, and no long text', async () => {
    const written: { readonly path: string; readonly detail: string }[] = []
    const run = (_: unknown, values: never) => Promise.resolve(void written.push(values) as never)
    const options = { runtime: { newId }, redact: withoutCredentials, log: { warn: () => undefined } }
    const record = createRefusalRecorder({ database: { run: run as never }, ...options })
    const secret = `svc_secret_pk_${'a'.repeat(49)}`
    const texts = { path: `/Users/${secret}`, detail: `no such attribute: ${secret} ${'x'.repeat(5_000)}` }
    record({ organizationId, keyId: 'k', name: 'Key' }, { ...refusal, ...texts })
    expect(written[0]?.path).toBe('/Users/svc_secret_[redacted]')
    expect(written[0]?.detail).toMatch(/^no such attribute: svc_secret_\[redacted\] x+$/)
    expect(written[0]?.detail.length).toBe(1_000)
  })
})
