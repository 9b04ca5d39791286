import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Tables } from '../../src/db/tables.js'
import { createRefusalRecorder } from '../../src/domain/directory/directory-status.js'
import { withoutCredentials } from '../../src/http/credential-redaction.js'
import { insertDirectoryRefusal, KEPT_REFUSALS } from '../../src/store/directory/status.js'
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

  it('are a hundred at most, whoever writes at the same time', async () => {
    const database = testDatabase.open()
    const insert = () => insertDirectoryRefusal(database, { ...refusal, organizationId, apiKeyId: 'k', id: newId() })
    for (let index = 0; index < KEPT_REFUSALS; index++) await insert()
    await Promise.all(Array.from({ length: 20 }, insert))
    await insert()
    const [row] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM directory_refusals')
    expect(row?.count).toBe(KEPT_REFUSALS)
  })

  it('are written one after another, the last hundred of a flood, separately by organization', async () => {
    const written: { readonly organizationId: string; readonly requestId: string }[] = []
    const ends: (() => void)[] = []
    const create = ({ data }: { data: never }) => {
      written.push(data)
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    const log = { warn: () => undefined }
    const record = createRefusalRecorder({
      database: recording(create),
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
    const create = async ({ data }: { data: never }) => void written.push(data)
    const options = { runtime: { newId }, redact: withoutCredentials, log: { warn: () => undefined } }
    const record = createRefusalRecorder({ database: recording(create), ...options })
    const secret = `svc_secret_pk_${'a'.repeat(49)}`
    const texts = { path: `/Users/${secret}`, detail: `no such attribute: ${secret} ${'x'.repeat(5_000)}` }
    record({ organizationId, keyId: 'k', name: 'Key' }, { ...refusal, ...texts })
    expect(written[0]?.path).toBe('/Users/svc_secret_[redacted]')
    expect(written[0]?.detail).toMatch(/^no such attribute: svc_secret_\[redacted\] x+$/)
    expect(written[0]?.detail.length).toBe(1_000)
  })
})

/** Tables in which refusals are created by a function, and none is old. */
function recording(create: (query: { data: never }) => Promise<void>): Tables {
  const directoryRefusal = { create, findMany: async () => [] }
  return { models: { directoryRefusal } } as never
}
